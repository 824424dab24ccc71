import { createRequire } from 'node:module'
import { Readable } from 'node:stream'
import { answerLines } from './lines.ts'

type Axios = { request: (config: object) => Promise<{ readonly status: number; readonly data: Uint8Array }> }

// The folder where axios is installed; it is no dependency of the project.
const axios: Axios = createRequire(`${process.argv[2]}/`)('axios')

await answerLines(async ({ method, url, headers, sends, body, expects }) => {
  const { status, data } = await axios.request({
    method,
    url,
    headers: {
      // Without a type axios would send that of a form; `false` sends none.
      'content-type': false,
      ...headers,
      ...(expects && { expect: '100-continue' }),
    },
    ...(sends === 'length' && { data: body }),
    ...(sends === 'chunked' && { data: Readable.from(body.length > 0 ? [body] : []) }),
    responseType: 'arraybuffer',
    validateStatus: () => true,
    proxy: false,
  })
  return { status, body: data }
})
