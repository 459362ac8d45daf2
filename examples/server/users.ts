/** `npm run users`: adds, lists and removes users, and sets their passwords. */
import { askPassword } from './ask-password.ts'
import { LONGEST_LIFETIME, readConfig } from './config.ts'
import { Database } from './database.ts'
import { Redis } from './redis.ts'
import { run, SetupError } from './setup-error.ts'
import { readCommand, USAGE } from './user-commands.ts'
import { UserStore } from './user-store.ts'

await run(async () => {
  const args = process.argv.slice(2)
  if (args.includes('--help')) return console.log(USAGE)
  const command = readCommand(args)
  const { SVC_DATABASE_URL, SVC_REDIS_URL } = process.env
  const { databaseUrl, redisUrl } = readConfig({ SVC_DATABASE_URL, SVC_REDIS_URL })
  const database = new Database(databaseUrl)
  try {
    const users = await UserStore.open(database)
    await command({ users, askPassword, endSessions: redisUrl === null ? null : endSessionsIn(redisUrl) })
  } finally {
    database.close()
  }
})

/** Ends all sessions of a user, and prints that. */
function endSessionsIn(redisUrl: string): (name: string) => Promise<void> {
  return async name => {
    const redis = new Redis(redisUrl)
    try {
      await redis.open({ info() {}, error() {} })
      // The lifetime does not matter here, so it is the longest.
      await redis.tokens(LONGEST_LIFETIME).revokeAll(name)
      console.log(`${name} is signed out everywhere.`)
    } catch (error) {
      if (error instanceof SetupError) throw error
      throw new SetupError(
        `Redis is down, so the sessions of ${name} go on; when it is back: npm run users -- sign-out ${name}`
      )
    } finally {
      redis.close()
    }
  }
}
