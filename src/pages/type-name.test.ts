import assert from 'node:assert/strict'
import { test } from 'node:test'
import { typeName } from './type-name.ts'

test('the last part of a type that says something is shown as words', () => {
  for (const [type, name] of [
    ['https://example.org/vct/employee_badge', 'Employee badge'],
    ['https://example.org/vct/employee-badge/v2/', 'Employee badge'],
    ['https://example.org/vct/EmployeeBadge?x=1#y', 'EmployeeBadge'],
    ['https://example.org/vct/dipl%C3%B4me', 'Diplôme'],
    ['https://example.org/vct/%E0%A4', '%E0%A4'],
    ['https://badges.example.org/', 'badges.example.org'],
    ['https://badges.example.org/1/2024-01', 'badges.example.org'],
    ['urn:eudi:pid:1', 'Pid'],
    ['org.iso.18013.5.1.mDL', 'mDL'],
    ['IdentityCredential', 'IdentityCredential'],
    ['1.0', '1.0'],
    ['', '–'],
    ['\u202e', '–'],
  ] as const)
    assert.equal(typeName(type), name, type)
})

test('a long name is cut, and what would turn a line of text round is taken out', () => {
  const name = typeName(`https://example.org/${'x'.repeat(240)}`)
  assert(name.length <= 100 && name.startsWith('Xxx'), name)
  assert(!typeName('https://example.org/a%E2%80%AEb').includes('\u202e'))
})
