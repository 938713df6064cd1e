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
