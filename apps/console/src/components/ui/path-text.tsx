import { clsx } from 'clsx';
import { Fragment } from 'react';

/**
 * A path or a pattern that wraps before a slash or after a hyphen, and within a word only if that is
 * too long for a line. Copied text contains no break.
 */
export function PathText({ children: path }: { children: string }) {
  let offset = 0;
  return (
    <span className="inline-block max-w-full wrap-anywhere">
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
export const RecordedPath = ({ path }: { path: string | null }) =>
  path === null ? (
    <span className="text-muted">path not recorded</span>
  ) : (
    <PathCode className="min-w-0">{path}</PathCode>
  );
