import { AppRouterContext } from 'next/dist/shared/lib/app-router-context.shared-runtime.js';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { OutcomeChart } from './outcome-chart.tsx';

const chartOf = (days: number, hasCsv?: boolean) => {
  const starts = Array.from({ length: days }, (_, day) => new Date(Date.UTC(2025, 0, 1 + day)));
  const counts = starts.map(() => 1);
  const lines = [{ id: 'allowed', label: null, total: days, counts }];
  const series = { step: 'day' as const, starts, lines };
  const chart = createElement(OutcomeChart, {
    ...{ series, timeZone: 'UTC', hrefOf: () => null },
    ...(hasCsv !== undefined && { hasCsv }),
  });
  // The chart moves by keys, for which it asks for a router.
  return renderToStaticMarkup(
    createElement(AppRouterContext.Provider, { value: {} as never }, chart),
  );
};

it.each([
  [365, undefined, 366],
  [365, false, 366],
  [365, true, 0],
  [90, true, 91],
])('the numbers of %d days are a table or in a CSV file: %s', (days, hasCsv, rows) => {
  const chart = chartOf(days, hasCsv);
  expect(chart.match(/<tr/g) ?? []).toHaveLength(rows);
  expect(chart.includes('The CSV file has the numbers of each day.')).toBe(rows === 0);
});
