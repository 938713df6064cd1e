import { readFileSync } from 'node:fs';
import type { APIRequestContext } from '@playwright/test';

interface BuiltAction {
  id: string;
  /** The file in `src/app` and the exported name, as in the matrix. */
  name: string;
}

const manifestFile = new URL(
  '../../apps/console/.next/standalone/apps/console/.next/server/server-reference-manifest.json',
  import.meta.url,
);

/** The ID of a server action of the build. */
export function idOf(name: string): string {
  const action = builtActions().find((candidate) => candidate.name === name);
  if (action === undefined) throw new Error(`${name} is not in the build`);
  return action.id;
}

let built: BuiltAction[] | undefined;

/** Every server action of the build, which is read once. */
export function builtActions(): BuiltAction[] {
  built ??= readBuiltActions();
  return built;
}

function readBuiltActions(): BuiltAction[] {
  const manifest: { node: Record<string, { filename: string; exportedName: string }> } = JSON.parse(
    readFileSync(manifestFile, 'utf8'),
  );
  return Object.entries(manifest.node).map(([id, { filename, exportedName }]) => ({
    id,
    name: `${filename.replace('apps/console/src/app/', '')} ${exportedName}`,
  }));
}

export interface ActionAnswer {
  status: number;
  /** The redirect of the action; undefined if it answered. */
  redirect: string | undefined;
  /** The state that the action returned; undefined if it did not run. */
  state: { kind: string; code?: string } | undefined;
  text: string;
}

export interface ActionCall {
  id: string;
  path: string;
  fields: Record<string, string>;
  headers: Record<string, string>;
}

/**
 * Calls an action as a browser does: its ID in a header, its two arguments (the form's state and a
 * FormData) encoded as by React's `encodeReply`.
 */
export async function callAction(
  request: APIRequestContext,
  { id, path, fields, headers }: ActionCall,
): Promise<ActionAnswer> {
  // The arguments come last, after the values that they reference.
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(`_1_${name}`, value);
  body.append('0', '[{"kind":"idle"},"$K1"]');
  const response = await request.post(path, {
    headers: { accept: 'text/x-component', 'next-action': id, ...headers },
    multipart: body,
    maxRedirects: 0,
  });
  const text = await response.text();
  const redirect = response.headers()['x-action-redirect'];
  return { status: response.status(), redirect, state: stateIn(text), text };
}

function stateIn(text: string): ActionAnswer['state'] {
  for (const line of withoutLongTexts(text).split('\n')) {
    const json = /^[0-9a-f]+:(\{"kind":.*\})$/.exec(line)?.[1];
    if (json !== undefined) return JSON.parse(json);
  }
  return undefined;
}

/** A long text has a row of its own, with its length in bytes and without a line end. */
function withoutLongTexts(answer: string): string {
  const row = /^[0-9a-f]+:T([0-9a-f]+),/m.exec(answer);
  if (row === null) return answer;
  const rest = Buffer.from(answer.slice(row.index + row[0].length));
  const after = rest.subarray(Number.parseInt(row[1] ?? '', 16)).toString();
  return `${answer.slice(0, row.index)}${withoutLongTexts(after)}`;
}
