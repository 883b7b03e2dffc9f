import type { Extension } from '@codemirror/state'
import type { CodeLanguage } from '@/resource/fields/code/language'

/** Each language is a chunk of its own: a shell script does not load Python's grammar. */
export async function languageExtension(language: CodeLanguage): Promise<Extension> {
  switch (language) {
    case 'python': {
      const { python } = await import('@codemirror/lang-python')
      return python()
    }
    case 'shell': {
      const [{ StreamLanguage }, { shell }] = await Promise.all([
        import('@codemirror/language'),
        import('@codemirror/legacy-modes/mode/shell'),
      ])
      return StreamLanguage.define(shell)
    }
    case 'powershell': {
      const [{ StreamLanguage }, { powerShell }] = await Promise.all([
        import('@codemirror/language'),
        import('@codemirror/legacy-modes/mode/powershell'),
      ])
      return StreamLanguage.define(powerShell)
    }
    case 'json': {
      const [{ StreamLanguage }, { json }] = await Promise.all([
        import('@codemirror/language'),
        import('@codemirror/legacy-modes/mode/javascript'),
      ])
      return StreamLanguage.define(json)
    }
    case 'plain':
      return []
  }
}
