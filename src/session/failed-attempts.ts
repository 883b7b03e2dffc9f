import { supabase } from '@/data/client'

/** The lengths the table accepts; a longer text would be refused and the attempt lost. */
const EMAIL_LENGTH = 255
const TEXT_LENGTH = 500

export function failedAttempt(email: string, reason: string, userAgent: string) {
  return {
    user_email: email.slice(0, EMAIL_LENGTH),
    // A page cannot know its own address, and one it claimed would be worth nothing.
    ip_address: 'browser',
    user_agent: userAgent.slice(0, TEXT_LENGTH),
    failure_reason: reason.slice(0, TEXT_LENGTH),
  }
}

/** Never throws: that the attempt could not be written must not hide why the sign-in failed. */
export async function recordFailedAttempt(email: string, reason: string): Promise<void> {
  try {
    const { error } = await supabase
      .from('failed_login_attempts')
      .insert(failedAttempt(email, reason, navigator.userAgent))
    if (error) console.error('The failed sign-in could not be recorded.', error.message)
  } catch (error) {
    console.error('The failed sign-in could not be recorded.', error)
  }
}
