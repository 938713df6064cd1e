import { describe, expect, it } from 'vitest';
import { UnavailableError } from '../unavailable.ts';
import { LargeBodies } from './large-bodies.ts';

const MIB = 1024 * 1024;

describe('large bodies', () => {
  it('of one project are half of those that may be under way', () => {
    const bodies = new LargeBodies();
    const release = bodies.hold('one', 32 * MIB);
    expect(() => bodies.hold('one', 1)).toThrow(UnavailableError);
    bodies.hold('other', 32 * MIB);
    expect(() => bodies.hold('third', 1)).toThrow(UnavailableError);
    release();
    bodies.hold('third', 32 * MIB);
    expect(() => bodies.hold('one', 1)).toThrow(UnavailableError);
  });

  it('leave their places when they are answered, and small ones take none', () => {
    const bodies = new LargeBodies();
    for (let round = 0; round < 100; round += 1) bodies.hold('one', 5 * MIB)();
    const releases = Array.from({ length: 6 }, () => bodies.hold('one', 5 * MIB));
    expect(() => bodies.hold('one', 5 * MIB)).toThrow('too many large bodies');
    for (let round = 0; round < 1_000; round += 1) bodies.hold('one', 0);
    expect(bodies.projects).toBe(1);
    for (const release of releases) release();
    expect(bodies.projects).toBe(0);
    bodies.hold('one', 32 * MIB);
  });
});
