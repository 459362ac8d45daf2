// Sessions of several processes in any order of calls, messages and faults: see schedules.ts.

import t from 'tap'
import { holdsAs } from '../../../../fuzz/runs.ts'
import { runSchedules } from './in-a-thread.ts'

const module = new URL('../../../../../lib/index.ts', import.meta.url).href

t.jobs = 2

t.test('in any order, with a store that reports its changes, the promises hold', t =>
  holdsAs(t, parameters => runSchedules({ module, store: 'reporting', parameters }), 35)
)

t.test('in any order, with a store that is asked, the promises hold', t =>
  holdsAs(t, parameters => runSchedules({ module, store: 'asked', parameters }), 15)
)
