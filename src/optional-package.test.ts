import assert from 'node:assert/strict'
import { test } from 'node:test'
import { importOptional } from './optional-package.ts'

test('a package that is not installed is named, with the setting that needs it and how to install it', async () => {
  const message =
    'SOME_SETTING needs the package @chirograph/missing, which is not installed: ' +
    'npm install --ignore-scripts chirograph-missing-VERSION.tgz beside the server'
  await assert.rejects(importOptional('@chirograph/missing', 'SOME_SETTING'), { message })
})
