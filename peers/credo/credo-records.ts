import {
  type BaseRecord,
  type BaseRecordConstructor,
  InjectionSymbols,
  JsonTransformer,
  type Module,
  type Query,
  RecordNotFoundError,
  type StorageService,
} from '@credo-ts/core'
import type { Reply } from '../../test/support/server.ts'

/** What the library leaves untyped in records of unknown kind. */
type Untyped = Reply['body']
type AnyRecord = BaseRecord<Untyped, Untyped, Untyped>
type Stored = { readonly type: string; readonly json: string; readonly tags: Record<string, unknown> }

/** Records of a Credo agent in memory. */
class CredoRecords implements StorageService<AnyRecord> {
  readonly supportsCursorPagination = false
  readonly #records = new Map<string, Stored>()

  async save(_: unknown, record: AnyRecord): Promise<void> {
    const { type, id } = record
    this.#records.set(`${type} ${id}`, { type, json: JsonTransformer.serialize(record), tags: record.getTags() })
  }

  update = this.save

  async delete(_: unknown, { type, id }: AnyRecord): Promise<void> {
    this.#records.delete(`${type} ${id}`)
  }

  async deleteById(_: unknown, { type }: BaseRecordConstructor<AnyRecord>, id: string): Promise<void> {
    this.#records.delete(`${type} ${id}`)
  }

  async getById<T extends AnyRecord>(_: unknown, kind: BaseRecordConstructor<T>, id: string): Promise<T> {
    const found = this.#records.get(`${kind.type} ${id}`)
    if (found === undefined) throw new RecordNotFoundError(`no record ${id}`, { recordType: kind.type })
    return recordOf(kind, found)
  }

  getAll<T extends AnyRecord>(context: unknown, kind: BaseRecordConstructor<T>): Promise<T[]> {
    return this.findByQuery(context, kind, {} as Query<T>)
  }

  async findByQuery<T extends AnyRecord>(_: unknown, kind: BaseRecordConstructor<T>, query: Query<T>): Promise<T[]> {
    const ofKind = [...this.#records.values()].filter(({ type }) => type === kind.type)
    return ofKind.filter(({ tags }) => matches(tags, query)).map((one) => recordOf(kind, one))
  }
}

function recordOf<T extends AnyRecord>(kind: BaseRecordConstructor<T>, { json, tags }: Stored): T {
  const record = JsonTransformer.deserialize(json, kind)
  record.replaceTags(tags)
  return record
}

/** All tags of a query, and one of its alternatives. */
function matches(tags: Record<string, unknown>, query: object): boolean {
  return Object.entries(query).every(([name, value]) => {
    if (value === undefined) return true
    if (name === '$or') return value.some((one: object) => matches(tags, one))
    if (name === '$and') return value.every((one: object) => matches(tags, one))
    if (name === '$not') return !matches(tags, value)
    const tag = tags[name]
    return Array.isArray(value) ? Array.isArray(tag) && value.every((one) => tag.includes(one)) : tag === value
  })
}

/** Registers the storage. */
export const credoRecords: Module = {
  register: (manager) => manager.registerInstance(InjectionSymbols.StorageService, new CredoRecords()),
}
