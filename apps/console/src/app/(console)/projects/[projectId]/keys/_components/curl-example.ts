/** A call with a key as a shell command, quoted: a path may contain `;`, `&` or an apostrophe. */
export const curlExample = (apiKey: string, { method, path }: { method: string; path: string }) =>
  `curl ${method === 'GET' ? '' : `-X ${quoted(method)} `}-H ${quoted(`x-api-key: ${apiKey}`)} \\\n  ${quoted(`http://localhost:4100${path}`)}\n`;

const quoted = (text: string) =>
  /^[A-Z]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
