import { EXAMPLE_HOST_PORT } from '@ceiba/domain/constants';

export interface ExampleCall {
  method: string;
  path: string;
}

/** A call with a key as a shell command, quoted: a path may contain `;`, `&` or an apostrophe. */
export const curlExample = (apiKey: string, { method, path }: ExampleCall) =>
  `curl ${method === 'GET' ? '' : `-X ${quoted(method)} `}-H ${quoted(`x-api-key: ${apiKey}`)} \\\n  ${quoted(`http://localhost:${EXAMPLE_HOST_PORT}${path}`)}\n`;

const quoted = (text: string) =>
  /^[A-Z]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
