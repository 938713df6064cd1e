import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';

/**
 * Runs the steps of a Dockerfile without Docker, each stage in a clean folder that stands for its
 * file system. It shows that the steps work from nothing but the build context and what is
 * installed in them; it does not show that the base image is what it should be. What cannot be done
 * in a folder (another base, an absolute path in a RUN, a flag that is not known here) is refused,
 * never passed over.
 *
 * @typedef {object} Image
 * @property {string} root The final stage's folder.
 * @property {string} workdir Where its command runs, below `root`.
 * @property {Record<string, string>} env
 * @property {string} user
 * @property {string[]} command
 * @property {string[]} healthcheck
 * @property {string[]} ports
 *
 * @typedef {{ name: string, base: string, steps: { instruction: string, text: string }[] }} Stage
 */

/** The base images: the Node that runs this stands for them. */
const nodeImage = /^node:\d+-slim$/;

/**
 * @param {{ file: string, context: string, folder: string, buildArgs?: Record<string, string> }} options
 *   `folder` takes the stages and has to be empty.
 * @returns {Image}
 * @throws {Error} When a step fails or is not one that can be run here.
 */
export function buildImage({ file, context, folder, buildArgs = {} }) {
  /** @type {Map<string, Image>} */
  const built = new Map();
  const ignores = readIgnores(join(context, '.dockerignore'));
  let image;
  for (const [index, stage] of parseDockerfile(readFileSync(file, 'utf8')).entries()) {
    const name = stage.name || `stage-${index}`;
    image = startStage(stage.base, join(folder, name), built);
    for (const { instruction, text } of stage.steps) {
      const run = steps[instruction];
      if (!run) throw new Error(`${instruction} ${text}: not supported here`);
      run(image, text, { context, ignores, built, buildArgs });
    }
    built.set(name, image);
  }
  if (!image) throw new Error(`${file} has no stage`);
  return image;
}

/** @param {string} text @returns {Stage[]} */
export function parseDockerfile(text) {
  /** @type {Stage[]} */
  const stages = [];
  const lines = text
    .replace(/^\s*#.*\n/gm, '')
    .replace(/\\\n/g, ' ')
    .split('\n');
  for (const line of lines.map((each) => each.trim()).filter(Boolean)) {
    const [, instruction = '', rest = ''] = /^(\w+)\s+(.*)$/.exec(line) ?? [];
    if (instruction === 'FROM') {
      const [, base = '', name = ''] = /^(\S+)(?:\s+AS\s+(\S+))?$/i.exec(rest) ?? [];
      stages.push({ name, base, steps: [] });
    } else {
      const stage = stages.at(-1);
      if (!stage) throw new Error(`${line}: comes before the first FROM`);
      stage.steps.push({ instruction, text: rest });
    }
  }
  return stages;
}

/**
 * @param {string} base
 * @param {string} root
 * @param {Map<string, Image>} built
 * @returns {Image}
 */
function startStage(base, root, built) {
  const parent = built.get(base);
  if (!parent && !nodeImage.test(base)) throw new Error(`FROM ${base}: not a base known here`);
  mkdirSync(root, { recursive: true });
  const empty = { workdir: '/', env: {}, user: 'root', command: [], healthcheck: [], ports: [] };
  if (!parent) return { ...empty, root };
  cpSync(parent.root, root, { recursive: true, verbatimSymlinks: true });
  return { ...parent, env: { ...parent.env }, root };
}

/**
 * @typedef {{ context: string, ignores: Ignore[], built: Map<string, Image>, buildArgs: Record<string, string> }} Build
 * @type {Record<string, (image: Image, text: string, build: Build) => void>}
 */
const steps = {
  WORKDIR(image, text) {
    image.workdir = resolve(image.workdir, text);
    mkdirSync(join(image.root, image.workdir), { recursive: true });
  },
  ARG(image, text, { buildArgs }) {
    const [name = '', fallback = ''] = text.split('=');
    image.env[name] = buildArgs[name] ?? fallback;
  },
  ENV(image, text) {
    const [, name = '', value = ''] = /^(\w+)=(\S*)$/.exec(text) ?? [];
    if (!name) throw new Error(`ENV ${text}: one NAME=value a line`);
    image.env[name] = value.replace(/\$(\w+)/g, (_, variable) => image.env[variable] ?? '');
  },
  COPY: copy,
  RUN(image, text) {
    if (/(^|[\s='"])\/\w/.test(text)) throw new Error(`RUN ${text}: an absolute path`);
    const { status, stdout, stderr } = spawnSync('sh', ['-c', text], {
      cwd: join(image.root, image.workdir),
      env: runEnvironment(image),
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`RUN ${text}: exit code ${status}\n${stdout}${stderr}`);
  },
  USER(image, text) {
    image.user = text;
  },
  EXPOSE(image, text) {
    image.ports.push(...text.split(/\s+/));
  },
  HEALTHCHECK(image, text) {
    image.healthcheck = parseCommand(text.slice(text.indexOf('CMD') + 3));
  },
  CMD(image, text) {
    image.command = parseCommand(text);
  },
};

/**
 * What a command of the image gets to see: its own environment, and of this process only what is
 * needed to find programs and the package registry.
 *
 * @param {Image} image
 * @returns {NodeJS.ProcessEnv}
 */
export function runEnvironment(image) {
  const { PATH, HOME } = process.env;
  return { PATH, HOME, ...image.env };
}

/** @param {string} text @returns {string[]} */
function parseCommand(text) {
  const words = JSON.parse(text);
  if (!Array.isArray(words)) throw new Error(`${text}: give the command as a JSON list`);
  return words.map(String);
}

/**
 * @param {Image} image
 * @param {string} text
 * @param {Build} build
 */
function copy(image, text, { context, ignores, built }) {
  const words = text.split(/\s+/);
  const flag = words[0]?.startsWith('--') ? words.shift() : undefined;
  const from = flag === undefined ? undefined : built.get(flag.replace(/^--from=/, ''));
  if (flag !== undefined && from === undefined)
    throw new Error(`COPY ${text}: ${flag} is not known`);
  const target = words.pop() ?? '';
  const destination = join(image.root, resolve(image.workdir, target));
  for (const source of words) {
    const path = from ? join(from.root, resolve('/', source)) : join(context, source);
    if (!existsSync(path)) throw new Error(`COPY ${text}: there is no ${source}`);
    const isFolder = statSync(path).isDirectory();
    const into =
      isFolder || !target.endsWith('/') ? destination : join(destination, basename(path));
    if (from) cpSync(path, into, { recursive: true, verbatimSymlinks: true });
    else copyContext(context, source === '.' ? '' : source, into, ignores);
  }
}

/**
 * Copies from the build context what `.dockerignore` lets through, path by path: a folder that is
 * left out is not even looked into.
 *
 * @param {string} context
 * @param {string} path Relative to the context; empty for all of it.
 * @param {string} destination
 * @param {Ignore[]} ignores
 */
function copyContext(context, path, destination, ignores) {
  if (path !== '' && isIgnored(path, ignores)) return;
  const source = join(context, path);
  if (!statSync(source).isDirectory()) return cpSync(source, destination);
  mkdirSync(destination, { recursive: true });
  for (const entry of readdirSync(source)) {
    copyContext(context, join(path, entry), join(destination, entry), ignores);
  }
}

/**
 * @typedef {{ pattern: RegExp, keeps: boolean }} Ignore
 * @param {string} file
 * @returns {Ignore[]}
 */
function readIgnores(file) {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  return lines
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const keeps = line.startsWith('!');
      const glob = line.replace(/^!/, '').replace(/[.+^${}()|[\]\\]/g, '\\$&');
      const expression = glob
        .split('**/')
        .map((part) => part.replaceAll('*', '[^/]*'))
        .join('(?:.*/)?');
      return { pattern: new RegExp(`^${expression}$`), keeps };
    });
}

/** @param {string} path @param {Ignore[]} ignores @returns {boolean} */
function isIgnored(path, ignores) {
  const last = ignores.findLast(({ pattern }) => pattern.test(path));
  return last !== undefined && !last.keeps;
}
