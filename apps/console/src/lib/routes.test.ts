import { describe, expect, it } from 'vitest';
import { parseRoutes } from './routes.ts';

const rulesOf = (text: string) =>
  parseRoutes(text).rules.map(({ method, pathPattern }) => `${method} ${pathPattern}`);

describe('parseRoutes', () => {
  it('makes a policy of each line, with GET where it names no method', () => {
    expect(rulesOf('/v1/reports\n\n  post /v1/orders?draft=1\n* /v1/files/*')).toEqual([
      'GET /v1/reports',
      'POST /v1/orders',
      '* /v1/files*',
    ]);
  });

  it.each([
    '/v1/users/:id',
    '/v1/users/{id}/orders/{order}',
    '/v1/users/[id]',
    '/v1/users/<int:id>/orders',
    '/v1/users*',
  ])('allows what is below the path before the first parameter of %s', (route) => {
    expect(rulesOf(route)).toEqual(['GET /v1/users*']);
  });

  it('names each policy once', () => {
    expect(rulesOf('/v1/users/:id\n/v1/users/{id}')).toEqual(['GET /v1/users*']);
  });

  it.each([
    ['', 'Name at least one route.'],
    ['/v1/reports\nreports', '“reports” is no route: write it as GET /v1/reports.'],
    ['/:tenant/reports', '“/:tenant/reports” would allow every path.'],
    ['/*', '“/*” would allow every path.'],
    ['/v1/a\n'.repeat(51), 'At most 50 routes'],
  ])('adds nothing for %j', (text, error) => {
    const routes = parseRoutes(text);
    expect(routes.rules).toEqual([]);
    expect(routes.error).toContain(error);
  });
});
