import type { ApiKeyName, DecisionRecord } from '@ceiba/schema';
import { MethodChip, OutcomeChip } from '#components/ui/chip.tsx';
import { Name } from '#components/ui/name.tsx';
import { PathText } from '#components/ui/path-text.tsx';
import { Cell, HeadCell, Row, Table } from '#components/ui/table.tsx';
import { LogTime } from '#components/ui/time.tsx';
import { formatCount } from '#lib/format.ts';
import { legible } from '#lib/text.ts';
import { Link } from '../../../../../../components/ui/link.tsx';

export interface RequestTableProps {
  /** The address of the list. */
  here: string;
  requests: readonly DecisionRecord[];
  names: ReadonlyMap<string, ApiKeyName>;
}

/** Recorded decisions, newest first. A row opens its gates. */
export function RequestTable({ here, requests, names }: RequestTableProps) {
  return (
    <Table
      label="Requests"
      isListOnPhone
      head={
        <>
          <HeadCell>Request</HeadCell>
          <HeadCell className="max-sm:hidden">Outcome</HeadCell>
          <HeadCell className="max-md:hidden">Key</HeadCell>
          <HeadCell className="max-sm:hidden">Time, UTC</HeadCell>
          <HeadCell numeric className="max-lg:hidden">
            Latency
          </HeadCell>
        </>
      }
    >
      {requests.map((request) => (
        <RequestRow
          key={request.decisionId}
          href={`${here}/${request.decisionId}`}
          request={request}
          name={request.apiKeyId === null ? undefined : names.get(request.apiKeyId)}
        />
      ))}
    </Table>
  );
}

interface RequestRowProps {
  href: string;
  request: DecisionRecord;
  name: ApiKeyName | undefined;
}

function RequestRow({ href, request, name }: RequestRowProps) {
  const { at, outcome, method, path, keyPrefix, latencyMs } = request;
  return (
    <Row className="hover:bg-hover">
      <Cell className="max-w-0 py-3 sm:w-2/5">
        <Link
          href={href}
          className="flex min-w-0 items-center gap-2 rounded underline-offset-4 hover:underline"
        >
          <MethodChip method={method} />
          {path === null ? (
            <span className="text-muted">path not recorded</span>
          ) : (
            <code className="min-w-0 text-small">
              <PathText>{path}</PathText>
            </code>
          )}
        </Link>
        <div className="mt-2 flex flex-wrap items-center gap-x-3 gap-y-1 text-small text-muted sm:hidden">
          <OutcomeChip outcome={outcome} />
          <LogTime at={at} inRow />
        </div>
        <p className="mt-1 truncate text-small text-muted md:hidden">
          <Caller name={name} keyPrefix={keyPrefix} />
        </p>
      </Cell>
      <Cell className="max-sm:hidden">
        <OutcomeChip outcome={outcome} />
      </Cell>
      <Cell className="max-w-64 truncate max-md:hidden">
        <Caller name={name} keyPrefix={keyPrefix} />
      </Cell>
      <Cell className="numbers whitespace-nowrap max-sm:hidden">
        <LogTime at={at} inRow />
      </Cell>
      <Cell numeric className="text-muted max-lg:hidden">
        {formatCount(latencyMs)} ms
      </Cell>
    </Row>
  );
}

/** Who called: the key's name, or the prefix of a key that this project does not have. */
function Caller({ name, keyPrefix }: { name: ApiKeyName | undefined; keyPrefix: string | null }) {
  if (name !== undefined) {
    return (
      <span title={legible(name.displayName)}>
        <Name>{name.displayName}</Name>
      </span>
    );
  }
  if (keyPrefix === null) return <span className="text-muted">no key</span>;
  return <code className="text-small text-muted">{keyPrefix}…</code>;
}
