import { expect, it } from 'vitest';
import { projectsIn, withProject } from './remembered-projects.ts';

it('a cookie lists a project once, the newest first', () => {
  const value = ['a', 'b', 'a'].reduce<string>((list, id) => withProject(list, id), '');
  expect(projectsIn(value)).toEqual(['a', 'b']);
  expect(projectsIn(undefined)).toEqual([]);
});

it('a cookie keeps the twenty newest projects', () => {
  const ids = Array.from({ length: 21 }, (_, index) => `p${index}`);
  const kept = projectsIn(ids.reduce<string>((value, id) => withProject(value, id), ''));
  expect(kept).toHaveLength(20);
  expect(kept).not.toContain('p0');
});
