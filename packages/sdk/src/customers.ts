import {
  type CreateCustomerRequest,
  type Customer,
  type CustomerListResult,
  type CustomerUsageResult,
  parseCustomer,
  parseCustomerListResult,
  parseCustomerUsageResult,
  type UpdateCustomerRequest,
} from './generated/wire.ts';
import { type Call, PAGE_BYTES_MAX, queryOf, segmentOf } from './http/call.ts';
import type { CallOptions, CustomerQuery, UsageQuery } from './types.ts';

/**
 * The customers of the project. Keys of one share a plan, a quota and a state. Each
 * method throws as those of the client do.
 */
export class Customers {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * Creates a customer. Where the project has one of this `externalId`, the other fields are compared
   * with its own: the result is that customer as it is now, or 409 `conflict` names the field that
   * differs. So the call may be repeated.
   */
  create(input: CreateCustomerRequest, options?: CallOptions): Promise<Customer> {
    return this.#call('POST', '/customers', input, parseCustomer, options);
  }

  /** One customer. 404 `not_found` also for a customer of another project. */
  async get(customerId: string, options?: CallOptions): Promise<Customer> {
    return this.#call('GET', pathOf(customerId), undefined, parseCustomer, options);
  }

  /** The customer of an external ID; null where the project has none. */
  async getByExternalId(externalId: string, options?: CallOptions): Promise<Customer | null> {
    // An empty parameter would select everyone.
    if (externalId === '') return null;
    const { customers } = await this.list({ externalId }, options);
    return customers.find((customer) => customer.externalId === externalId) ?? null;
  }

  /** A page of the customers, newest first; each field of the query narrows the list. */
  list(query: CustomerQuery = {}, options?: CallOptions): Promise<CustomerListResult> {
    const path = `/customers${queryOf(query)}`;
    return this.#call('GET', path, undefined, parseCustomerListResult, options, {
      maxResponseBytes: PAGE_BYTES_MAX,
    });
  }

  /**
   * Changes the fields that are given, from the next decision on. Null clears a number, the plan or the
   * period end; `metadata` is replaced whole.
   */
  async update(
    customerId: string,
    changes: UpdateCustomerRequest,
    options?: CallOptions,
  ): Promise<Customer> {
    return this.#call('PATCH', pathOf(customerId), changes, parseCustomer, options);
  }

  /** Denies all of its keys, from the next decision on. May be repeated. */
  async suspend(customerId: string, options?: CallOptions): Promise<Customer> {
    return this.#call('POST', `${pathOf(customerId)}/suspend`, {}, parseCustomer, options);
  }

  /** Lifts the suspension, from the next decision on. May be repeated. */
  async resume(customerId: string, options?: CallOptions): Promise<Customer> {
    return this.#call('POST', `${pathOf(customerId)}/resume`, {}, parseCustomer, options);
  }

  /** What its keys have used, by day or month, and what is used of its running period. */
  async usage(
    customerId: string,
    query: UsageQuery = {},
    options?: CallOptions,
  ): Promise<CustomerUsageResult> {
    const path = `${pathOf(customerId)}/usage${queryOf(query)}`;
    return this.#call('GET', path, undefined, parseCustomerUsageResult, options);
  }
}

const pathOf = (customerId: string) => `/customers/${segmentOf(customerId, 'customerId')}`;
