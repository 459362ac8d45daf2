/** A command. It runs in a folder that survives the tests. */
export type Command = [string, ...string[]]

/** A conforming server in a framework, and common mistakes in it. */
export interface Framework {
  name: string
  /** The programs that must be installed. */
  needs: [string, ...string[]]
  /** The source file of the server. */
  source: string
  /** The other file of the project, with the versions of the dependencies. */
  manifest?: string
  /** The algorithm of the tokens. */
  tokens: 'opaque' | 'HS256' | 'RS256' | 'ES256'
  /** Creates the other files of the project, if it has any. */
  init?: Command[]
  /** Fetches the dependencies. */
  install: Command[]
  /** Compiles the source in a folder. */
  build?(folder: string): Command
  /** Runs the source in a folder. */
  run(folder: string): Command
  /** A text that occurs in the block with its commands in conformance/docs/ci.md. */
  page: string
  /**
   * Common mistakes, by the clause that they break and their description. Each replaces texts that occur once in the
   * source.
   */
  mistakes: Record<string, Record<string, string>>
}

const goModule: Command[] = [
  ['go', 'mod', 'init', 'server'],
  ['go', 'get', 'github.com/golang-jwt/jwt/v5@v5.3.1']
]

const MAVEN_COPY = 'org.apache.maven.plugins:maven-dependency-plugin:3.11.0:copy-dependencies'

/** The frameworks, by the folder of their project. */
export const frameworks: Record<string, Framework> = {
  node: {
    name: 'Express',
    needs: ['npm'],
    source: 'server.js',
    manifest: 'package.json',
    tokens: 'HS256',
    install: [['npm', 'install', '--no-audit', '--no-fund', '--no-package-lock']],
    run: folder => ['node', `${folder}/server.js`],
    page: 'npm install',
    mistakes: {
      '4 all other routes: the guard is mounted on a path, so that unknown routes are 404': {
        'app.use((req, res, next) => {': "app.use('/menu', (req, res, next) => {"
      },
      '5.3.2: jwt.decode, which verifies nothing': {
        "jwt.verify(token, SECRET, { algorithms: ['HS256'] })": 'jwt.decode(token) ?? jwt.verify(token)'
      },
      '7 invalid token: a token of which the verification fails is 403': {
        'res.sendStatus(401)': 'res.sendStatus(token ? 403 : 401)'
      },
      '5.1: what follows the first space of the header is the token, for every scheme': {
        "    if (scheme.toLowerCase() !== 'bearer') throw new Error('no token')\n": ''
      },
      '7 missing token: express.json() before the guard, so that a broken body is 400': {
        'const app = express()\n': 'const app = express()\napp.use(express.json())\n'
      }
    }
  },
  python: {
    name: 'FastAPI',
    needs: ['python3'],
    source: 'app.py',
    manifest: 'requirements.txt',
    tokens: 'opaque',
    install: [
      ['python3', '-m', 'venv', 'venv'],
      ['venv/bin/python', '-m', 'pip', 'install', '--quiet', '--requirement', 'requirements.txt']
    ],
    run: folder => ['venv/bin/python', `${folder}/app.py`],
    page: 'pip install',
    mistakes: {
      // fastapi#1304, #1125, #4653
      '7 missing token: an HTTPException in a middleware, which becomes 500': {
        'import FastAPI, Request, Response': 'import FastAPI, HTTPException, Request, Response',
        'return Response(status_code=401)': 'raise HTTPException(status_code=401)'
      },
      '4 all other routes: /docs and /openapi.json are open': {
        'request.url.path != "/auth/login"': 'request.url.path not in ("/auth/login", "/docs", "/openapi.json")'
      },
      '2.2 error: response_model_exclude_none, so that the error of a success is missing': {
        'response_model=AuthResponse': 'response_model=AuthResponse, response_model_exclude_none=True'
      },
      '2.2 success: a rejection is an HTTPException, with nothing but a detail': {
        'import FastAPI, Request, Response': 'import FastAPI, HTTPException, Request, Response',
        'return AuthResponse(success=False, error="Wrong user or password")':
          'raise HTTPException(status_code=401, detail="Wrong user or password")'
      },
      '4 all other routes: the guard is a dependency of the routes, so that unknown ones are 404': {
        'import FastAPI, Request, Response': 'import Depends, FastAPI, HTTPException, Request',
        '@app.middleware("http")\nasync def guard(request: Request, call_next):\n': 'def guard(request: Request):\n',
        'return Response(status_code=401)': 'raise HTTPException(status_code=401)',
        '    return await call_next(request)\n': '',
        '@app.get("/menu/main")': '@app.get("/menu/main", dependencies=[Depends(guard)])'
      }
    }
  },
  go: {
    name: 'Go net/http',
    needs: ['go'],
    source: 'main.go',
    tokens: 'RS256',
    init: goModule,
    install: goModule,
    build: folder => ['go', 'build', '-o', `bin/${folder}`, `./${folder}`],
    run: folder => [`bin/${folder}`],
    page: 'go build',
    mistakes: {
      '5.1: TrimPrefix takes off a Bearer that need not be there': {
        'scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")':
          'token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")',
        'err != nil || !strings.EqualFold(scheme, "Bearer")': 'err != nil'
      },
      '5.3.2: ParseUnverified, which verifies nothing': {
        '_, err := jwt.ParseWithClaims(token, &user, publicKey, jwt.WithValidMethods([]string{"RS256"}))':
          '_, _, err := jwt.NewParser().ParseUnverified(token, &user)'
      },
      '2.2 error: omitempty, so that the error of a success is missing': {
        '`json:"error"`': '`json:"error,omitempty"`'
      },
      '5.3.3: no return after the 401, so that the screen follows': {
        'w.WriteHeader(http.StatusUnauthorized)\n\t\t\treturn\n': 'w.WriteHeader(http.StatusUnauthorized)\n'
      },
      // gosec G108
      '4 all other routes: net/http/pprof is imported, and its routes are not guarded': {
        '\t"net/http"\n': '\t"net/http"\n\t_ "net/http/pprof"\n',
        'r.URL.Path == "/auth/login"': '(strings.HasPrefix(r.URL.Path, "/debug/") || r.URL.Path == "/auth/login")'
      }
    }
  },
  java: {
    name: 'Spring Boot',
    needs: ['javac', 'mvn'],
    source: 'Server.java',
    manifest: 'pom.xml',
    tokens: 'ES256',
    // Maven only fetches, because it compiles more slowly than the compiler alone.
    install: [['mvn', '--quiet', '--batch-mode', MAVEN_COPY]],
    build(folder) {
      const options = ['-parameters', '-cp', 'target/dependency/*', '-d', `classes/${folder}`]
      return ['javac', ...options, `${folder}/Server.java`]
    },
    run(folder) {
      const classes = `classes/${folder}:target/dependency/*`
      return ['java', '-XX:TieredStopAtLevel=1', '-cp', classes, 'server.Server']
    },
    page: 'mvn ',
    mistakes: {
      // spring-security#12599, #14120, #4250
      '5.2: permitAll alone, so that the login with a stale token is 401': {
        'request -> request.getServletPath().equals("/auth/login") ? null : resolver.resolve(request)': 'resolver'
      },
      '7 missing token: Http403ForbiddenEntryPoint, the one where none is chosen': {
        '.csrf(csrf -> csrf.disable())':
          '.csrf(csrf -> csrf.disable()).exceptionHandling(e -> e.authenticationEntryPoint(' +
          'new org.springframework.security.web.authentication.Http403ForbiddenEntryPoint()))'
      },
      '4 POST /auth/login: the protection from CSRF refuses the login': {
        '        .csrf(csrf -> csrf.disable())\n': ''
      },
      '4 all other routes: /actuator/** is open': {
        '.anyRequest()': '.requestMatchers("/actuator/**").permitAll().anyRequest()'
      },
      '4 all other routes: /error is open': {
        '.anyRequest()': '.requestMatchers("/error").permitAll().anyRequest()'
      }
    }
  }
}
