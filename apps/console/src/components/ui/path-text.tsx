import { Fragment } from 'react';

/**
 * A path or a pattern stays in one piece as long as a line has room for it. A longer one breaks
 * before a slash or after a hyphen, and within a word only where the word alone is too long. What
 * is copied holds no break.
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
