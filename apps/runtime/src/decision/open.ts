import type { Logger } from '@ceiba/process/log';
import {
  listFurtherPolicies,
  listPoliciesWithRevision,
  readPeriodTotals,
  recordFirstUse,
  recordFirstUses,
} from '@ceiba/schema';
import { FirstUses } from '../database/first-uses.ts';
import type { RuntimeDatabase } from '../database/open.ts';
import type { openDecisionLog } from '../decision-log/open.ts';
import type { Settings } from '../env.ts';
import type { ErrorLog } from '../error-log.ts';
import { createChargeScript } from '../limiter/charge-script.ts';
import { createLimiter } from '../limiter/limiter.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { newUuid } from '../new-uuid.ts';
import { PolicyCache } from '../policies/policy-cache.ts';
import { PolicyReads } from '../policies/policy-reads.ts';
import { newId } from '../process-id.ts';
import type { RuntimeRedis } from '../redis/open.ts';
import type { openUsage } from '../usage/open.ts';
import { Admission } from './admission.ts';
import type { Dependencies } from './dependencies.ts';
import { Entrance } from './entrance.ts';
import { Pace } from './pace.ts';
import { ProvenSecrets } from './proven-secrets.ts';

/** What the decisions of a Runtime share. */
export interface Surroundings {
  settings: Settings;
  database: RuntimeDatabase;
  redis: RuntimeRedis;
  usage: ReturnType<typeof openUsage>;
  decisionLog: ReturnType<typeof openDecisionLog>;
  metrics: Metrics;
  errors: ErrorLog;
  log: Logger;
}

export function openDecisions(around: Surroundings) {
  const admission = openAdmission(around);
  const entrance = openEntrance(around, admission);
  return { entrance, dependencies: openDependencies(around), admission };
}

const now = performance.now.bind(performance);

const openAdmission = ({ settings, metrics }: Surroundings) =>
  new Admission({
    maxDecisions: settings.MAX_DECISIONS_IN_FLIGHT,
    deadlineMs: settings.DECISION_DEADLINE_MS,
    now,
    onAnswer: (tookMs) => metrics.answered(tookMs),
  });

function openEntrance(
  { settings, database, decisionLog, metrics, errors }: Surroundings,
  admission: Admission,
): Entrance {
  const deadlineMs = settings.DECISION_DEADLINE_MS;
  return new Entrance({
    proven: new ProvenSecrets({
      find: (item, deadline) => database.lookups.find(item, deadline),
      deadlineMs,
      now,
    }),
    admission,
    errors,
    paces: {
      project: new Pace({ maxPerMs: 4, deadlineMs, now }),
      unproven: new Pace({ maxPerMs: 2, deadlineMs, now }),
    },
    countFailure(projectId, error) {
      metrics.failed(error);
      if (projectId !== null) decisionLog.failures.count(projectId, error);
    },
    onBatch: (questions) => metrics.batchOf(questions),
    onRequest: (failure) => metrics.requested(failure),
  });
}

function openDependencies(around: Surroundings): Dependencies {
  const { settings, database, redis, usage, metrics, errors, log } = around;
  const run = database.runForDecision;
  const { decisionLog } = around.decisionLog;
  const policyReads = new PolicyReads({
    first: (projectIds) => run((db) => listPoliciesWithRevision(db, projectIds)),
    further: (projectId, after) => run((db) => listFurtherPolicies(db, { projectId, after })),
  });
  return {
    lookups: database.lookups,
    policies: new PolicyCache((projectId) => metrics.loadingPolicies(policyReads.of(projectId))),
    limiter: createLimiter({
      link: redis.link,
      clock: redis.clock,
      script: createChargeScript(),
      ledger: usage.ledger,
      newId,
      problem: redis.problem,
      onMemoryFull: usage.sweepSoon,
      redisBudgetMs: settings.DECISION_REDIS_BUDGET_MS,
      roundTrips: metrics.charge,
      readPeriodTotals: (items) => run((db) => readPeriodTotals(db, items)),
    }),
    usage: usage.denials,
    decisionLog: {
      add(call, decision, charge) {
        metrics.decided(decision);
        decisionLog.add(call, decision, charge);
      },
    },
    firstUses: new FirstUses({
      writeAtOnce: (apiKeyIds) => run((db) => recordFirstUses(db, apiKeyIds)),
      writeOne: (apiKeyId) => run((db) => recordFirstUse(db, apiKeyId)),
    }),
    errors,
    newDecisionId: newUuid,
    log,
  };
}
