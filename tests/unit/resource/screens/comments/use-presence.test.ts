// @vitest-environment happy-dom
import { expect, it } from 'vitest'
import { presentPeople } from '@/resource/screens/comments/use-presence'

const heard = (user: string, state: 'here' | 'looking' | 'writing' | 'gone', at = 0, topic = 'a') => ({
  user,
  name: user.toUpperCase(),
  page: `${user}-${topic}`,
  state,
  at,
  topic,
})

it('shows each other person once, those who write first', () => {
  expect(
    presentPeople([heard('b', 'looking'), heard('c', 'looking'), heard('c', 'writing', 0, 'note')], 'me', 0),
  ).toEqual([
    { user: 'c', name: 'C', isWriting: true },
    { user: 'b', name: 'B', isWriting: false },
  ])
})

it('shows neither oneself, nor who left, nor who has been silent for more than a minute', () => {
  expect(
    presentPeople([heard('me', 'writing'), heard('b', 'gone'), heard('c', 'looking', 0)], 'me', 70_000),
  ).toEqual([])
})
