// What a client may do without failing.
import t from 'tap'
import { MinimalClient } from './minimal-client.ts'
import { reportOn, SlowClock } from './report-on.ts'

for (const scenario of ['login', 'reject-then-login', 'login-then-expire', 'no-auth'] as const) {
  t.test(`a client conforms: ${scenario}`, async t => {
    const { conforms, results } = await reportOn(MinimalClient, scenario)
    t.strictSame(
      results.filter(({ status }) => status !== 'ok'),
      []
    )
    t.ok(results.length > 4)
    t.equal(conforms, true)
  })
}

t.test('a client may come back to the login by way of the menu, without a token', async t => {
  class Roundabout extends MinimalClient {
    override async expired(url: string) {
      this.token = undefined
      if ((await this.start()) !== undefined) await this.send('GET', url)
    }
  }
  t.equal((await reportOn(Roundabout, 'login-then-expire')).conforms, true)
})

t.test('preflights and the requests of a browser itself are not checked', async t => {
  class Browser extends MinimalClient {
    override async send(...args: Parameters<MinimalClient['send']>) {
      const response = await fetch(this.base + args[1], {
        method: 'OPTIONS',
        headers: { origin: 'http://app.example', 'access-control-request-headers': 'authorization' }
      })
      t.equal(response.status, 204)
      t.equal(response.headers.get('access-control-allow-origin'), 'http://app.example')
      t.equal(response.headers.get('access-control-allow-headers'), 'authorization')
      await fetch(`${this.base}/favicon.ico`)
      return super.send(...args)
    }
  }
  t.equal((await reportOn(Browser, 'login-then-expire')).conforms, true)
})

t.test('the entered values are checked only when the kit knows them', async t => {
  class Trimming extends MinimalClient {
    override fields() {
      return { username: 'someone', password: 'else' }
    }
  }
  t.equal((await reportOn(Trimming, 'login', { username: undefined, password: undefined })).conforms, true)
  t.equal((await reportOn(Trimming, 'login')).conforms, false)
})

t.test('a client may stop after the login', async t => {
  class Content extends MinimalClient {
    override async open() {}
  }
  t.equal((await reportOn(Content, 'login')).conforms, true)
})

t.test('a menu that is fetched again at once does not end the session', async t => {
  class Again extends MinimalClient {
    override async welcome(screen: object) {
      t.equal((await this.send('GET', '/menu/main')).status, 200)
      return screen
    }
  }
  const { results } = await reportOn(Again, 'login-then-expire')
  t.strictSame(
    results.filter(({ status }) => status === 'failed').map(({ id }) => id),
    ['shows-menu-from-answer']
  )
})

t.test('a person may open the menu a second after the login', async t => {
  const clock = new SlowClock()
  class Later extends MinimalClient {
    override async welcome(screen: object) {
      clock.advance(1000)
      await this.send('GET', '/menu/main')
      return screen
    }
  }
  t.equal((await reportOn(Later, 'login', {}, clock)).conforms, true)
})

t.test('requests that are under way when the session expires violate nothing', async t => {
  const clock = new SlowClock()
  // The responses wait until the server has got both requests.
  let waiting = 0
  let release = () => {}
  const both = new Promise<void>(resolve => {
    release = resolve
  })
  clock.sleep = () => {
    if (++waiting === 2) release()
    return both
  }
  class Parallel extends MinimalClient {
    override async open(url: string) {
      const [response] = await Promise.all([this.send('GET', url), this.send('GET', '/screen/second')])
      if (response?.status === 401) await this.expired(url)
    }
  }
  const { results } = await reportOn(Parallel, 'login-then-expire', {}, clock)
  t.strictSame(
    results.filter(({ status }) => status !== 'ok'),
    []
  )
  t.equal(waiting, 2)
})

t.test('an ordinary word may be a password', async t => {
  for (const password of ['node', 'json', 'main', 'login', 'abc']) {
    class Ordinary extends MinimalClient {
      override fields() {
        return { username: password, password }
      }
    }
    const { conforms } = await reportOn(Ordinary, 'login', { username: undefined, password: undefined })
    t.equal(conforms, true, password)
  }
})
