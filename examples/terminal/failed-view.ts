import type { Failed } from 'screen-auth-client'
import { Pane } from './pane.ts'
import { Sheet } from './sheet.ts'
import type { Say } from './texts.ts'
import type { Context, View } from './view.ts'
import { wrap } from './width.ts'

/** Shown without a screen. The session tries again by itself, or at once when the person wants it. */
export function failedView({ say, session, run }: Context, state: Failed): View {
  const retry = () => run(say('trying_again', 'Trying again…'), session.retry())
  const pane = new Pane(width => {
    const sheet = new Sheet()
    const add = (text: string) => wrap(text, width, 3).forEach(line => void sheet.add(line))
    add(nextStep(state, say))
    if (session.isLoggedIn) add(say('stay_logged_in', 'You stay logged in.'))
    sheet.gap()
    sheet.addButton(say('try_again', 'Try again'), width, retry)
    return sheet
  })
  return {
    title: state.isOffline ? say('offline', 'No connection') : say('failed', 'Something went wrong'),
    pane,
    hints: [],
    key(key) {
      if (key.name === 'reload') retry()
      return key.name === 'reload' || pane.key(key)
    }
  }
}

/** What the session does next. */
function nextStep({ busy, retryAt }: Failed, say: Say): string {
  if (busy) return say('trying_again', 'Trying again…')
  if (retryAt === null) return ''
  const seconds = Math.max(0, Math.ceil((retryAt - Date.now()) / 1000))
  return `${say('trying_again_in', 'Trying again in')} ${seconds} s`
}
