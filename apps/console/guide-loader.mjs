import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { renderGuides } from './render-guides.mjs';

const repository = fileURLToPath(new URL('../..', import.meta.url));

/** The loader of `catalog.guides`: the module that it becomes exports the rendered guides. */
export default function loadGuides(source) {
  const catalog = JSON.parse(source);
  for (const { file } of catalog.flatMap(({ guides }) => guides)) {
    this.addDependency(join(repository, file));
  }
  return `export default ${JSON.stringify(renderGuides(catalog, repository))};`;
}
