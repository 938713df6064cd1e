import { clsx } from 'clsx';
import { Fragment } from 'react';

interface PathTextProps {
  /** How it is displayed. */
  className?: string | undefined;
  children: string;
}

/**
 * A path or a pattern that wraps before a slash or after a hyphen, and within a word only if that is
 * too long for a line. Copied text contains no break.
 */
export function PathText({ className = 'inline-block', children: path }: PathTextProps) {
  let offset = 0;
  return (
    <span className={clsx('max-w-full wrap-anywhere', className)}>
      {path.split(/(?=\/)/).map((segment) => {
        const key = offset;
        offset += segment.length;
        return (
          <Fragment key={key}>
            {key > 0 && <wbr />}
            {segment}
          </Fragment>
        );
      })}
    </span>
  );
}

/** As {@link PathText}, in the type of code. */
export const PathCode = ({ className, children }: { className?: string; children: string }) => (
  <code className={clsx('text-small', className)}>
    <PathText>{children}</PathText>
  </code>
);

/** The path of a call, if the decision log has it. */
export const RecordedPath = ({ path, isClamped = false }: RecordedPathProps) =>
  path === null ? (
    <span className="text-muted">path not recorded</span>
  ) : (
    <code className="min-w-0 text-small" title={isClamped ? path : undefined}>
      <PathText className={isClamped ? 'line-clamp-2' : undefined}>{path}</PathText>
    </code>
  );

interface RecordedPathProps {
  path: string | null;
  /** Shows two lines, and all of it on hover. */
  isClamped?: boolean;
}
