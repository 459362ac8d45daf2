import { spawnSync } from 'node:child_process'
import { availableParallelism } from 'node:os'

const SERVER_CORE = '0'
const LOAD_CORE = '1'

/** Whether the servers and the load generator each have their own core, so that they do not disturb each other. */
export const isPinned = availableParallelism() >= 2 && pinThisProcess()

/** Changes a command so that it runs on the core of the servers. */
export function onServerCore(command: string, args: string[]): [string, string[]] {
  return isPinned ? ['taskset', ['--cpu-list', SERVER_CORE, command, ...args]] : [command, args]
}

function pinThisProcess(): boolean {
  const { status } = spawnSync('taskset', ['--all-tasks', '--pid', '--cpu-list', LOAD_CORE, `${process.pid}`])
  return status === 0
}
