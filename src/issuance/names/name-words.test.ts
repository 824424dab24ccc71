import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nameWords } from './name-words.ts'

for (const [name, words] of [
  ['Thandi Molefe', ['thandi', 'molefe']],
  ['  Molefe-Botha,\tTHANDI ', ['molefe', 'botha', 'thandi']],
  ["Sinéad O’Connor d'Arc", ['sinead', 'o', 'connor', 'd', 'arc']],
  ['Anna anna ANNA', ['anna']],
  ['Жанна Чайка', ['жанна', 'чаика']],
  ['李小龙', ['李小龙']],
  ['김연아', ['김연아']],
  ['नेहा शर्मा', ['नेहा', 'शर्मा']],
  ['１２３ ﬁ', ['123', 'fi']],
  ['--- ’ ', []],
  ['a b c d e f g h i j', ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']],
  [`${'x'.repeat(64)}yz`, ['x'.repeat(64)]],
] as const) {
  test(`the words of ${name}`, () => assert.deepEqual(nameWords(name), words))
}

for (const spellings of [
  ['Müller', 'Mueller', 'MULLER', 'Mu\u0308ller'],
  ['Groß', 'GROSS', 'gross', 'Groẞ'],
  ['Søren', 'Soeren', 'soren'],
  ['Æsa', 'aesa'],
  ['Łukasz', 'lukasz'],
  ['ΣΑΣ', 'σας', 'σασ'],
  ['İrem', 'irem', 'ırem'],
]) {
  test(`${spellings.join(', ')} are one word`, () => {
    assert.deepEqual(new Set(spellings.map((one) => nameWords(one).join(' '))).size, 1, spellings.map(nameWords).join())
  })
}
