import helmet from '@fastify/helmet'
import fp from 'fastify-plugin'

export default fp(async app => app.register(helmet), { name: 'helmet' })
