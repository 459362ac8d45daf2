/**
 * `npm run cluster`: four processes of the reference server behind a round-robin, on a real Redis, while processes, Redis
 * and the cables to it come and go. Prints how many requests had which response, and how soon the end of a session held
 * everywhere. Exits with 1 when a valid request was refused, one was let in after the end of its session beyond what is
 * promised, or a response was wrong. Needs redis-server.
 */
import { type Figures, inWords, isClean } from './figures.ts'
import { show } from './show.ts'

const cleanups: (() => void)[] = []
const all: Figures[] = []
process.on('exit', () => {
  for (const clean of cleanups.reverse()) clean()
})
process.on('SIGINT', () => process.exit(130))

try {
  await show({ teardown: clean => cleanups.push(clean) }, figures => {
    console.log(`${figures.title}: ${figures.requests} requests`)
    all.push(figures)
  })
} catch (error) {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  console.error('redis-server is not installed: apt-get install redis-server')
  process.exit(1)
}
console.log(`\n${inWords(all)}`)
process.exit(all.every(isClean) ? 0 : 1)
