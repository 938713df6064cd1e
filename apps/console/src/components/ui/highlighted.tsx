import { Fragment } from 'react';

const TOKENS =
  /(?<comment>(?<=^|\s)(?:\/\/|#)[^\n]*)|(?<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)|(?<keyword>\b(?:import|export|const|let|async|await|return|throw|new|function|class|def)\b|\bfrom\b(?=\s+['"])|^from\b|^(?:curl|npm|npx)\b)/gm;

const LOOKS = {
  comment: 'text-muted',
  string: 'text-code-string',
  keyword: 'text-code-keyword',
} as const;

/**
 * Code with its comments, strings and keywords set apart: what TypeScript, Python and a shell have in
 * common, so that snippets need no grammar of their own.
 */
export function Highlighted({ code }: { code: string }) {
  let end = 0;
  const parts = [...code.matchAll(TOKENS)].map((match) => {
    const { 0: text, index, groups = {} } = match;
    const before = code.slice(end, index);
    end = index + text.length;
    const { comment, string } = groups;
    const kind = comment === undefined ? (string === undefined ? 'keyword' : 'string') : 'comment';
    return (
      <Fragment key={index}>
        {before}
        <span className={LOOKS[kind]}>{text}</span>
      </Fragment>
    );
  });
  return (
    <code>
      {parts}
      {code.slice(end)}
    </code>
  );
}
