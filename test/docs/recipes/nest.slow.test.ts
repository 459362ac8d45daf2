// docs/recipes/nest.md, compiled and run by Jest with the packages of Nest.
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { readPage } from '../page.ts'
import { Program } from '../program.ts'
import { createProject, save } from '../project.ts'

const [app = '', tests = ''] = readPage('docs/recipes/nest.md').samples.map(({ code }) => code)

const DECORATORS = { experimentalDecorators: true, emitDecoratorMetadata: true }
const TYPESCRIPT = { target: 'es2023', module: 'nodenext', strict: true, skipLibCheck: true, noEmit: true }
const SWC = {
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true }
  },
  module: { type: 'es6' }
}
const JEST = {
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\./.*)\\.js$': '$1' },
  transform: { '\\.ts$': ['@swc/jest', SWC] }
}

const nest = ['common', 'core', 'platform-fastify'].map(name => `@nestjs/${name}@12`)
const path = await createProject(t, [
  ...[...nest, 'reflect-metadata', 'rxjs@7'],
  ...['jest@30', '@swc/jest', '@swc/core', '@types/jest@30', '@types/node@20']
])
save(
  path('tsconfig.json'),
  JSON.stringify({ compilerOptions: { ...TYPESCRIPT, ...DECORATORS, types: ['jest', 'node'] } })
)
save(path('jest.config.json'), JSON.stringify(JEST))

/** Runs the page's tests with its application, changed by `change`. Returns the output and the status of Jest. */
async function jest(t: Test, change = (code: string) => code, code = tests) {
  save(path('src/app.ts'), change(app))
  save(path('src/app.test.ts'), code)
  const command = [
    '--experimental-vm-modules',
    path('node_modules/jest/bin/jest.js'),
    '--config',
    path('jest.config.json')
  ]
  const program = new Program(t, [process.execPath, ...command], {
    SVC_AUTH_SECRET: 'a-secret-for-the-tests-of-this-page'
  })
  return { status: await program.end(), output: program.output }
}

t.test('the application and its tests compile', async t => {
  save(path('src/app.ts'), app)
  save(path('src/app.test.ts'), tests)
  const tsc = fileURLToPath(new URL('../../../node_modules/typescript/bin/tsc', import.meta.url))
  const program = new Program(t, [process.execPath, tsc, '--project', path('tsconfig.json')])
  t.equal(await program.end(), 0, program.output)
})

t.test('the tests pass in Jest', async t => {
  const { status, output } = await jest(t)
  t.equal(status, 0, output)
  t.match(output, /needs a token except GET \/auth\/login, GET \/healthz,/)
})

/** A test with a controller that is opened as a whole, two versions of a route, and middleware that responds. */
const others = (middleware: number) => `
  import { Controller, Get, Module, Version, VersioningType, type MiddlewareConsumer } from '@nestjs/common'
  import { RouteConfig } from '@nestjs/platform-fastify'
  import { AppModule, createApp } from './app.js'

  @Controller('open')
  @RouteConfig({ screenAuth: false })
  class Open {
    @Get() get() { return 'open' }
    @Get('version') @Version(['2', '3']) version() { return 'version' }
  }

  test('the guard covers the rest', async () => {
    Reflect.defineMetadata('controllers', [...Reflect.getMetadata('controllers', AppModule), Open], AppModule)
    Object.assign(AppModule.prototype, {
      configure: (consumer: MiddlewareConsumer) =>
        consumer.apply((request: unknown, response: any) => response.end('middleware')).forRoutes('middleware')
    })
    const app = await createApp()
    app.enableVersioning({ type: VersioningType.HEADER, header: 'x-version' })
    await app.listen(0, '127.0.0.1')
    const url = await app.getUrl()
    const headers = { 'x-version': '2' }
    const statuses = await Promise.all(
      ['/open', '/open/version', '/middleware', '/auth/login'].map(async path => (await fetch(url + path, { headers })).status)
    )
    await app.close()
    expect(statuses).toEqual([401, 401, ${middleware}, 200])
  })`

t.test('the guard covers middleware, versions and a controller with RouteConfig', async t => {
  const { status, output } = await jest(t, undefined, others(401))
  t.equal(status, 0, output)
  t.match(output, /needs a token except the public ones, which Fastify cannot list/)
})

t.test('middleware is open if the plugin is registered after `create`', async t => {
  const { status, output } = await jest(
    t,
    code => code.replace(/( {2}await adapter[\s\S]*?\n {2}\}\)\n)( {2}const app .*\n)/, '$2$1'),
    others(200)
  )
  t.equal(status, 0, output)
})
