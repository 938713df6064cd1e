import { type PolicyFacts, parsePathPattern, parsePolicyMethod } from '@ceiba/domain';
import { labelSetsOf, labelsOfSets, labelText } from '#lib/labels.ts';
import { type Query, textOf } from '#lib/list-query.ts';
import { sentence } from '#lib/text.ts';
import { wideningOf } from './pattern-warning.ts';
import { PolicyForm, type TypedPolicy } from './policy-form.tsx';
import { PolicyPreview } from './policy-preview.tsx';

export interface PolicyEditorProps {
  projectId: string;
  /** The policy to edit; undefined adds one. */
  saved?: PolicyFacts;
  /** The project's other policies. */
  others: readonly PolicyFacts[];
  /** What is typed so far, from the URL. */
  query: Query;
}

/** The form of a policy with a preview of what it matches. */
export function PolicyEditor({ projectId, saved, others, query }: PolicyEditorProps) {
  const { method: savedMethod = 'GET', pathPattern = '', scopes = null, cost = 1 } = saved ?? {};
  const start: TypedPolicy = {
    method: savedMethod,
    pathPattern,
    scopes: labelText(scopes),
    cost: cost === 1 ? '' : String(cost),
  };
  const typed = {
    method: textOf(query, 'method', start.method),
    pathPattern: textOf(query, 'pathPattern', start.pathPattern),
    scopes: textOf(query, 'scopes', start.scopes),
    cost: textOf(query, 'cost', start.cost),
    path: textOf(query, 'path'),
  };
  const method = parsePolicyMethod(typed.method);
  const pattern = parsePathPattern(typed.pathPattern.trim());
  const denied = textOf(query, 'denied');
  const isUntouched = saved === undefined && typed.pathPattern === '';
  return (
    <PolicyForm
      projectId={projectId}
      policyId={saved?.policyId}
      start={start}
      typed={typed}
      known={labelsOfSets(labelSetsOf([...others, ...(saved ? [saved] : [])]))}
      methodError={method.ok ? undefined : sentence(method.reason)}
      patternError={pattern.ok || isUntouched ? undefined : sentence(pattern.reason)}
      widening={pattern.ok ? wideningOf(pattern.pattern, denied) : null}
    >
      <PolicyPreview
        projectId={projectId}
        method={method}
        pattern={pattern}
        others={others}
        path={typed.path}
      />
    </PolicyForm>
  );
}
