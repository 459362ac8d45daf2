// What the client does to the terminal: it takes all of it, and gives it back as it was, however it ends.
import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { outsideTap } from '../../helpers.ts'
import { needs } from '../../needs.ts'
import { CLIENT, folder, Terminal, type TerminalOptions } from './tmux.ts'

/** A server whose login form may be slow. */
async function loginServer(t: Test): Promise<string> {
  const form = {
    layout: 'Card',
    title: 'A title that is rather long for so small a terminal',
    auth_action: '/auth/login',
    user_display_name: 'Nobody Yet',
    sections: [{ id: 'login', label: 'Login', fields: [{ id: 'username', label: 'Username', type: 'Text' }] }]
  }
  const server = createServer((request, response) => {
    if (request.method === 'POST') return
    response.statusCode = request.url === '/auth/login' ? 200 : 401
    response.end(JSON.stringify(form))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** The settings of the terminal, as the shell in it has them. */
async function settings(terminal: Terminal, name: string): Promise<string> {
  await terminal.enter(`stty -a > ~/${name}; echo "have" ${name}`)
  await terminal.until(new RegExp(`^have ${name}`, 'm'))
  return spawnSync('cat', [join(terminal.home, name)]).stdout.toString()
}

/** Runs the client until `leave` ends it, and looks whether everything is as it was. */
async function leaves(
  t: Test,
  leave: (terminal: Terminal) => unknown,
  code: number,
  options?: TerminalOptions
) {
  const url = await loginServer(t)
  const terminal = await Terminal.shell(t, options)
  const before = await settings(terminal, 'before')
  await terminal.startClient(url)
  await terminal.until(/❯ Username/)
  t.equal(await terminal.variable('alternate_on'), '1')
  t.notMatch(await terminal.screen(), /here before/)
  await leave(terminal)
  const after = await terminal.until(new RegExp(`^code ${code}$`, 'm'))
  t.match(after, /^what was here before/m)
  t.notMatch(after, /Username|Ctrl-C quit/)
  t.equal(await terminal.variable('alternate_on'), '0')
  t.equal(await terminal.variable('cursor_flag'), '1')
  t.equal(await terminal.variable('wrap_flag'), '1')
  t.equal(await settings(terminal, 'after'), before)
  return after
}

/** Runs the client without a terminal. */
function piped(t: Test, args: string[]): SpawnSyncReturns<string> {
  const [command, rest] = outsideTap(process.execPath, [...CLIENT, ...args])
  return spawnSync(command, rest, {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: folder(t), TERM: 'xterm' }
  })
}

t.test('without a terminal one line says so', async t => {
  const { status, stdout, stderr } = piped(t, [])
  t.strictSame([status, stdout], [1, ''])
  t.match(stderr, /^This program draws on a whole terminal: .*\n$/)
})

for (const [args, says] of [
  [
    ['localhost:3000'],
    /^The URL must begin with http:\/\/ or https:\/\/, for example http:\/\/127\.0\.0\.1:3000\n$/
  ],
  [['ftp://127.0.0.1'], /^The URL must begin with http.*\n$/],
  [['http://'], /^The URL must begin with http.*\n$/],
  [['http://ada:secret@127.0.0.1'], /^The URL must have no username and no password: (?!.*secret).*\n$/],
  [['http://127.0.0.1', 'http://127.0.0.2'], /^One URL is enough.*--help\.\n$/],
  [['--colour'], /^There is no such option.*--help\.\n$/]
] as const) {
  t.test(`a wrong call says what would be right: ${args.join(' ')}`, async t => {
    const { status, stdout, stderr } = piped(t, [...args])
    t.strictSame([status, stdout], [2, ''])
    t.match(stderr, says)
  })
}

t.test('--help shows the usage', async t => {
  const { status, stdout, stderr } = piped(t, ['--help'])
  t.strictSame([status, stderr], [0, ''])
  t.match(stdout, /^Usage: npm run terminal -- \[URL\]\n/)
})

if (needs(t, 'tmux')) {
  t.jobs = 3

  t.test('Ctrl-C gives the terminal back', t =>
    leaves(t, terminal => terminal.press('C-c'), 0).then(() => {})
  )

  t.test('Ctrl-C works while the server thinks', async t => {
    await leaves(
      t,
      async terminal => {
        await terminal.enter('ada')
        await terminal.until(/Logging in…/)
        await terminal.type('ignored')
        await terminal.press('C-c')
      },
      0
    )
  })

  for (const [signal, code] of [
    ['SIGTERM', 143],
    ['SIGHUP', 129],
    ['SIGQUIT', 131],
    ['SIGINT', 130]
  ] as const) {
    t.test(`${signal} gives the terminal back`, async t => {
      await leaves(t, ({ pid }) => process.kill(pid, signal), code)
    })
  }

  for (const [what, code] of [
    ['an exception', 'throw new Error("a fault\\x1b[31m of the client")'],
    ['a rejection', 'Promise.reject(new Error("a fault\\x1b[31m of the client"))']
  ] as const) {
    t.test(`${what} that nobody catches gives the terminal back, and is told after that`, async t => {
      const file = join(folder(t), 'fault.mjs')
      writeFileSync(file, `process.on('SIGUSR2', () => { ${code} })`)
      const env = { NODE_OPTIONS: `--import ${file}` }
      const after = await leaves(t, ({ pid }) => process.kill(pid, 'SIGUSR2'), 1, { env })
      t.match(after, /^The program failed: a fault\[31m of the client$/m)
    })
  }

  t.test('a warning waits for the end', async t => {
    const file = join(folder(t), 'warning.mjs')
    writeFileSync(file, `process.on('SIGUSR2', () => process.emitWarning('look out'))`)
    const env = { NODE_OPTIONS: `--import ${file}` }
    const leave = async (terminal: Terminal) => {
      process.kill(terminal.pid, 'SIGUSR2')
      await terminal.type('abc')
      t.notMatch(await terminal.until(/abc/), /look out/)
      await terminal.press('C-c')
    }
    t.match(await leaves(t, leave, 0, { env }), /look out/)
  })

  for (const [how, suspend] of [
    ['Ctrl-Z', terminal => terminal.press('C-z')],
    ['SIGTSTP', ({ pid }) => process.kill(pid, 'SIGTSTP')]
  ] as [string, (terminal: Terminal) => unknown][]) {
    t.test(`${how} gives the terminal back, and the client takes it again when it goes on`, async t => {
      await leaves(
        t,
        async terminal => {
          await terminal.type('ada')
          await terminal.until(/Username +ada/)
          await suspend(terminal)
          await terminal.until(/^what was here before/m)
          t.equal(await terminal.variable('cursor_flag'), '1')
          await terminal.enter('echo meanwhile; fg')
          await terminal.until(/Username +ada/)
          await terminal.type('!')
          t.notMatch(await terminal.until(/Username +ada!/), /meanwhile/)
          await terminal.press('C-c')
          await terminal.until(/^\$$/m)
          await terminal.enter('echo "code $?"')
        },
        0
      )
    })
  }

  t.test('nothing stays on a terminal without an alternate screen', async t => {
    const terminal = await Terminal.shell(t)
    await terminal.tmux('set-option', '-g', 'alternate-screen', 'off')
    await terminal.startClient(await loginServer(t))
    await terminal.until(/❯ Username/)
    await terminal.press('C-c')
    t.notMatch(await terminal.until(/code 0/), /Username|Ctrl-C quit/)
  })

  t.test('what is typed while the client starts is not lost, and not echoed', async t => {
    const url = await loginServer(t)
    const terminal = await Terminal.shell(t)
    await terminal.enter(`${[process.execPath, ...CLIENT, url].join(' ')}`)
    while ((await terminal.variable('alternate_on')) === '0') await sleep(10)
    await terminal.type('ada\tx\x1b[Zl')
    await terminal.until(/❯ Username +adal$/m)
    await terminal.press('C-c')
    t.notMatch(await terminal.until(/^\$$/m), /ada/)
  })

  t.test('an Enter counts that was pressed before the terminal was taken', async t => {
    const terminal = await Terminal.shell(t)
    // The client starts when this is typed, while the terminal still turns an Enter into a line feed.
    await terminal.enter(
      `until [ -e ~/typed ]; do sleep 0.1; done; ${[process.execPath, ...CLIENT, await loginServer(t)].join(' ')}`
    )
    await terminal.enter('ada')
    await terminal.until(/^ada$/m)
    writeFileSync(join(terminal.home, 'typed'), '')
    await terminal.until(/Logging in…/)
    await terminal.press('C-c')
  })

  t.test('a terminal that is closed ends the client', async t => {
    const terminal = await Terminal.start(t, await loginServer(t))
    const { pid } = terminal
    await terminal.tmux('kill-server')
    for (let isThere = true; isThere; ) {
      try {
        process.kill(pid, 0)
        await sleep(50)
      } catch {
        isThere = false
      }
    }
  })

  t.test('Esc on the login form only says how to quit', async t => {
    const terminal = await Terminal.start(t, await loginServer(t))
    await terminal.until(/❯ Username/)
    await terminal.type('ada')
    await terminal.press('Escape')
    t.match(await terminal.until(/Press Ctrl-C to quit\./), /Username +ada/)
  })

  t.test('every size is filled, and nothing is left of another', async t => {
    const terminal = await Terminal.start(t, await loginServer(t))
    await terminal.until(/❯ Username/)
    for (const [columns, rows] of [
      [40, 12],
      [120, 40],
      [30, 6],
      [80, 24]
    ] as const) {
      await terminal.resize(columns, rows)
      const isDrawn = (screen: string) => {
        const lines = screen.split('\n').slice(0, rows)
        const [first = '', last = ''] = [lines[0], lines.at(-1)]
        return first.endsWith('Nobody Yet') && first.length >= columns - 1 && last.includes('Ctrl-C quit')
      }
      const screen = await terminal.until(isDrawn)
      for (const once of [/Ctrl-C quit/g, /Username/g, /Nobody/g]) t.equal(screen.match(once)?.length, 1)
      t.match(screen, /❯ Username/)
    }
    await terminal.resize(10, 3)
    await terminal.until(/❯ Us…/)
    await terminal.resize(80, 24)
    await terminal.until(/Ctrl-C quit/)
  })

  t.test('without colours there are none, and the focus can still be seen', async t => {
    const terminal = await Terminal.start(t, await loginServer(t), { env: { NO_COLOR: '1', CI: 'true' } })
    await terminal.until(/❯ Username/)
    await terminal.press('Tab')
    await terminal.until(/❯ \[ Log in \]/)
    t.notMatch(await terminal.screen('-e'), /[[;](?:3[0-8]|4[0-8]|9\d)[;m]/)
  })

  for (const type of ['xterm-256color', 'vt100', 'screen']) {
    t.test(`a terminal of the type ${type}`, async t => {
      const terminal = await Terminal.start(t, await loginServer(t), { env: { TERM: type } })
      await terminal.until(/❯ Username/)
    })
  }
}
