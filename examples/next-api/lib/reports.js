export const REPORTS = [
  { id: '1', title: 'Monthly revenue' },
  { id: '2', title: 'Active customers' },
];
