/** The route of the hosts in the guides. */
export const EXAMPLE_ROUTE = { method: 'GET', path: '/v1/reports' };

/** How to protect a host of one framework, from its guide. */
export interface Framework {
  slug: string;
  name: string;
  /** The files of a whole host, in the order of their use. */
  files: { name: string; code: string }[];
  /** The commands that install the framework and start the host. */
  commands: string[];
  /** The path that the host serves, which its guide calls. */
  path: string;
}

export interface HostSnippetOptions {
  runtimeUrl: string;
  projectId: string;
  /** Where users open the console, which serves the SDK too. */
  consoleUrl: string;
}

/**
 * The file with the settings of a host: the name of its download, which the commands read. Browsers drop
 * the dot that a name begins with, so it is not `.env`.
 */
export const ENVIRONMENT_FILE = 'ceiba.env';

/**
 * The files and commands of a complete host with one protected route, in the order of their use.
 *
 * @param path the path that it serves, by default that of the guide
 */
export function hostSnippets(
  { files, commands, path: own }: Framework,
  options: HostSnippetOptions,
  path = own,
): { name: string; code: string }[] {
  const { consoleUrl, runtimeUrl } = options;
  const at = (text: string) => withHost(withPath(text, own, path), runtimeUrl);
  return [
    { name: ENVIRONMENT_FILE, code: environmentFile(options) },
    ...files.map(({ name, code }) => ({ name, code: at(code) })),
    {
      name: 'Terminal',
      code: [`npm install ${consoleUrl}/ceiba-sdk.tgz`, ...commands, ''].map(at).join('\n'),
    },
  ];
}

/** A text with another path in place of that of the guide; some frameworks name it without its first slash. */
const withPath = (text: string, from: string, to: string): string =>
  text.replaceAll(from, to).replaceAll(`'${from.slice(1)}`, `'${to.slice(1)}`);

const LOOPBACK = /^(?:localhost|127\..+|\[::1\])$/;

/** A text whose client accepts the address of the Runtime, which without TLS it has to name. */
function withHost(text: string, runtimeUrl: string): string {
  const { protocol, hostname } = new URL(runtimeUrl);
  if (protocol === 'https:' || LOOPBACK.test(hostname)) return text;
  return text.replace(/^( *)runtimeBaseUrl: .*$/m, `$&\n$1allowPlainHttpHosts: ['${hostname}'],`);
}

/** The settings of a host, as a file. */
export const environmentFile = ({
  runtimeUrl,
  projectId,
  projectSecret,
}: Omit<HostSnippetOptions, 'consoleUrl'> & {
  /** Without it, the file has a placeholder. */
  projectSecret?: string;
}) =>
  `CEIBA_RUNTIME_URL=${runtimeUrl}
CEIBA_PROJECT_ID=${projectId}
CEIBA_PROJECT_SECRET=${projectSecret ?? '<the project secret>'}
`;

/** A command that requests a decision from the Runtime without a key, which is denied. */
export const firstDecision = ({
  runtimeUrl,
  projectId,
}: Pick<HostSnippetOptions, 'runtimeUrl' | 'projectId'>) =>
  `curl ${runtimeUrl}/rt/projects/${projectId}/authorize \\
  -H "x-service-project-secret: $CEIBA_PROJECT_SECRET" \\
  -H 'content-type: application/json' \\
  -d '{"apiKey":null,"method":"GET","path":"/v1/reports"}'
`;
