/** `npm run users`: adds, lists and removes users, sets their passwords, ends their sessions and unlocks them. */
import { askPassword } from './ask-password.ts'
import { readConfig } from './config.ts'
import { Database } from './database.ts'
import { run } from './setup-error.ts'
import { sharedLogins } from './shared-logins.ts'
import { readCommand, USAGE } from './user-commands.ts'
import { UserStore } from './user-store.ts'

await run(async () => {
  const args = process.argv.slice(2)
  if (args.includes('--help')) return console.log(USAGE)
  const command = readCommand(args)
  const { SVC_DATABASE_URL, SVC_REDIS_URL } = process.env
  const { databaseUrl, redisUrl } = readConfig({ SVC_DATABASE_URL, SVC_REDIS_URL })
  const database = await Database.open(databaseUrl)
  try {
    const users = await UserStore.open(database)
    await command({ users, askPassword, logins: redisUrl === null ? null : sharedLogins(redisUrl) })
  } finally {
    database.close()
  }
})
