import { describe, expect, it } from 'vitest';
import { chooseTests } from './chosen-tests.ts';

describe('npm test -- words', () => {
  it.each([
    ['a file', 'scripts/bootstrap.test.ts', ['scripts/bootstrap.test.ts']],
    ['a part of a path', 'chosen-tests.te', ['scripts/chosen-tests.test.ts']],
  ])('finds %s', (_, word, files) => {
    expect(chooseTests([word])).toEqual({ files, browserFiles: [] });
  });

  it('finds every test of a folder, and none of another whose name has that of the folder', () => {
    const { files } = chooseTests(['scripts']);
    expect(files).toContain('scripts/bootstrap.test.ts');
    expect(files.filter((file) => !file.startsWith('scripts/'))).toEqual([]);
  });

  it('separates the files of the browser from the others', () => {
    const { files, browserFiles } = chooseTests(['first-journey', 'bootstrap.test']);
    expect({ files, browserFiles }).toEqual({
      files: ['scripts/bootstrap.test.ts'],
      browserFiles: ['tests/e2e/first-journey.spec.ts'],
    });
  });

  it('finds a test by a part of its title, given as one word or several', () => {
    const found = { files: ['scripts/chosen-tests.test.ts'], browserFiles: [] };
    const words = ['given as one word', 'or several'];
    expect(chooseTests(words)).toEqual({ ...found, title: words.join(' ') });
  });

  it('says what it did not find', () => {
    const word = ['no', 'such', 'thing'].join('-');
    expect(() => chooseTests([word])).toThrow(`No test has "${word}" in its path or its title.`);
  });
});
