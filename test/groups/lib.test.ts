import { run } from './run.ts'

await run(path => path.startsWith('lib/'))
