import { describe, expect, it } from 'vitest';
import { passwordIn, serviceOf } from './files.ts';

describe('a file of passwords', () => {
  const file = [
    '# comment:5432:*:*:no',
    'db:5432:other:*:no',
    '*:*:app:cei\\:ba:first:with\\:colons',
    '*:*:*:*:second',
  ].join('\n');

  it('has the password of the first line that matches', () => {
    expect(passwordIn(file, ['db', '5432', 'app', 'cei:ba'])).toBe('first:with:colons');
    expect(passwordIn(file, ['db', '5432', 'third', 'ceiba'])).toBe('second');
  });

  it('may have none', () => {
    expect(passwordIn('db:5432:app:ceiba:no\n', ['db', '5433', 'app', 'ceiba'])).toBeNull();
  });
});

describe('a file of services', () => {
  const file = '# comment\n[one]\nhost=a\n\n[two]\n host = b\nport=6432\n#x\n[three]\nhost=c\n';

  it('has the parameters of the named one', () => {
    expect([...serviceOf(file, 'two')]).toEqual([
      ['host', 'b'],
      ['port', '6432'],
    ]);
  });

  it('without the named one is an error', () => {
    expect(() => serviceOf(file, 'four')).toThrow('has no service "four"');
  });
});
