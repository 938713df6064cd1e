'use client';

import dynamic from 'next/dynamic';

// One of the tabs is shown, so each loads alone.
export const PlanTable = dynamic(() => import('./plan-table.tsx').then((file) => file.PlanTable));
export const UserTable = dynamic(() => import('./user-table.tsx').then((file) => file.UserTable));
export const RetentionForm = dynamic(() =>
  import('./retention-form.tsx').then((file) => file.RetentionForm),
);
export const SecondFactorRule = dynamic(() =>
  import('./second-factor-rule.tsx').then((file) => file.SecondFactorRule),
);
