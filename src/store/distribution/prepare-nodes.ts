const SETTINGS = [
  // A SET that is passed on takes the text with it in which it was sent.
  'set local citus.propagate_set_commands = none',
  // Triggers of ours reach rows of the same tenant alone.
  'set local citus.enable_unsafe_triggers = on',
  // Reference tables are changed by one connection to each node.
  'set local citus.multi_shard_modify_mode = sequential',
  'set local client_min_messages = warning',
]

/** Prepares a transaction of the owner that changes tables of a Citus cluster. */
export async function prepareNodes(script: (text: string) => Promise<void>): Promise<void> {
  for (const statement of SETTINGS) await script(statement)
}
