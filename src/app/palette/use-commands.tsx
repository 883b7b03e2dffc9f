import BankOutlined from '@ant-design/icons/es/icons/BankOutlined'
import BgColorsOutlined from '@ant-design/icons/es/icons/BgColorsOutlined'
import CopyOutlined from '@ant-design/icons/es/icons/CopyOutlined'
import DeleteOutlined from '@ant-design/icons/es/icons/DeleteOutlined'
import EditOutlined from '@ant-design/icons/es/icons/EditOutlined'
import FilterOutlined from '@ant-design/icons/es/icons/FilterOutlined'
import GlobalOutlined from '@ant-design/icons/es/icons/GlobalOutlined'
import LogoutOutlined from '@ant-design/icons/es/icons/LogoutOutlined'
import PlusOutlined from '@ant-design/icons/es/icons/PlusOutlined'
import QuestionCircleOutlined from '@ant-design/icons/es/icons/QuestionCircleOutlined'
import ThunderboltOutlined from '@ant-design/icons/es/icons/ThunderboltOutlined'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useCan } from '@/access/use-can'
import { usableForms, usablePages, usableViews } from '@/app/navigation'
import { usePageWords } from '@/app/page-words'
import type { Command } from '@/app/palette/commands'
import { type OtherWords, useOtherWords } from '@/app/palette/other-words'
import type { Page } from '@/app/registry'
import { MenuIcon } from '@/app/shell/menu-icon'
import { useSignOut } from '@/app/shell/user-menu'
import { setLanguage } from '@/i18n'
import { LANGUAGES } from '@/i18n/language'
import { useLanguage } from '@/i18n/use-language'
import { canDelete, canDuplicate, canEdit, duplicatePath, editPath } from '@/resource/language/naming'
import { useResourceLabels, useViewWords } from '@/resource/language/words'
import { actionsOn, isOffered } from '@/resource/request/filter/actions'
import { recordTitle } from '@/resource/request/query/title'
import { useResourceScope } from '@/resource/request/query/use-scope'
import { useOpenRecord } from '@/resource/screens/show/open-record'
import { useCompanyScope } from '@/session/use-company-scope'
import { useTheme } from '@/ui/theme-provider'
import { THEME_CHOICES } from '@/ui/theme-store'

/** The commands for the record whose page is open: exactly those that its own buttons offer. */
function useRecordCommands(other: OtherWords): Command[] {
  const { t } = useTranslation('engine')
  const can = useCan()
  const navigate = useNavigate()
  const { filter } = useResourceScope()
  const open = useOpenRecord()
  if (!open) return []
  const { definition, record, words, run, remove } = open
  const id = String(record.id)
  const may = (verb: string) => can(definition.name, verb).allowed
  const command = (
    key: string,
    [label, keywords]: readonly [string, string],
    icon: Command['icon'],
    act: () => void,
  ): Command => ({
    key: `record:${key}`,
    group: 'record',
    label,
    keywords,
    detail: recordTitle(definition, record),
    icon,
    run: act,
  })
  const shown = (key: 'edit' | 'duplicate' | 'delete') =>
    [t(`show.${key}`), other((said) => said.t(`engine:show.${key}`))] as const
  const go = (path: string) => () => void navigate(path)
  return [
    ...actionsOn(definition, 'record')
      .filter(({ object, verb, action }) => {
        return can(object, verb).allowed && isOffered(definition, action, record, filter)
      })
      .map((named) =>
        command(
          `action:${named.name}`,
          [words.action(named.name), other((said) => said.of(definition).action(named.name))],
          <ThunderboltOutlined />,
          () => run(named, [record]),
        ),
      ),
    ...(canEdit(definition) && may('edit')
      ? [command('edit', shown('edit'), <EditOutlined />, go(editPath(definition, id)))]
      : []),
    ...(canDuplicate(definition) && may('create')
      ? [command('duplicate', shown('duplicate'), <CopyOutlined />, go(duplicatePath(definition, id)))]
      : []),
    ...(canDelete(definition) && may('delete')
      ? [command('delete', shown('delete'), <DeleteOutlined />, () => remove([record]))]
      : []),
  ]
}

function useSettingCommands(onShowKeys: () => void, other: OtherWords): Command[] {
  const { t } = useTranslation(['palette', 'common', 'shell'])
  const signOut = useSignOut()
  const current = useLanguage()
  const { choice, setChoice } = useTheme()
  const keywords = `${t('settings.language')} ${t('settings.theme')}`
  return [
    ...LANGUAGES.filter((language) => language !== current).map(
      (language): Command => ({
        key: `language:${language}`,
        group: 'settings',
        label: t(`common:languages.${language}`),
        detail: t('settings.language'),
        keywords: other((said) => said.t('settings.language')),
        icon: <GlobalOutlined />,
        run: () => void setLanguage(language),
      }),
    ),
    ...THEME_CHOICES.filter((theme) => theme !== choice).map(
      (theme): Command => ({
        key: `theme:${theme}`,
        group: 'settings',
        label: t(`themes.${theme}`),
        detail: t('settings.theme'),
        keywords: `${keywords} ${other((said) => `${said.t(`themes.${theme}`)} ${said.t('settings.theme')}`)}`,
        icon: <BgColorsOutlined />,
        run: () => setChoice(theme),
      }),
    ),
    {
      key: 'keys',
      group: 'settings',
      label: t('keys.title'),
      detail: '?',
      keywords: other((said) => said.t('keys.title')),
      icon: <QuestionCircleOutlined />,
      run: onShowKeys,
    },
    {
      key: 'signOut',
      group: 'settings',
      label: t('shell:userMenu.signOut'),
      keywords: `${t('keywords.signOut')} ${other(
        (said) => `${said.t('shell:userMenu.signOut')} ${said.t('keywords.signOut')}`,
      )}`,
      icon: <LogoutOutlined />,
      run: () => void signOut(),
    },
  ]
}

function useCompanyCommands(other: OtherWords): Command[] {
  const { t } = useTranslation('shell')
  const can = useCan()
  const { companyId, companies, setCompanyId } = useCompanyScope()
  if (!can('company-management', 'list').allowed) return []
  const command = (id: string | null, label: string): Command => ({
    key: `company:${id ?? 'all'}`,
    group: 'company',
    label,
    ...(id === null ? { keywords: other((said) => said.t('shell:company.all')) } : {}),
    detail: t('company.label'),
    icon: <BankOutlined />,
    run: () => setCompanyId(id),
  })
  return [
    ...(companyId === null ? [] : [command(null, t('company.all'))]),
    ...companies.filter(({ id }) => id !== companyId).map(({ id, name }) => command(id, name)),
  ]
}

/** All commands of the current page, in the current language. */
export function useCommands(onShowKeys: () => void): Command[] {
  const { t } = useTranslation(['engine', 'common'])
  const can = useCan()
  const navigate = useNavigate()
  const words = usePageWords()
  const label = useResourceLabels()
  const viewWord = useViewWords()
  const other = useOtherWords()
  // The singular is matched, too: "policy" is not the beginning of "Policies".
  const nouns = (page: Page, of: typeof label) =>
    page.definition ? `${of(page.name).many}\n${of(page.name).one}` : ''
  const screens = usablePages(can).map(
    (page): Command => ({
      key: `page:${page.path}`,
      group: 'screens',
      label: words.label(page),
      keywords: [nouns(page, label), other((said) => `${said.page(page)}\n${nouns(page, said.label)}`)].join(
        '\n',
      ),
      icon: <MenuIcon name={page.icon} />,
      run: () => void navigate(page.path ?? '/'),
    }),
  )
  const views = usableViews(can).map(
    ({ path, definition, view }): Command => ({
      key: `view:${path}:${view}`,
      group: 'views',
      label: t('list.viewOf', { list: label(definition.name).many, view: viewWord(definition, view) }),
      // The view's English name in the definition, so that "reboot" finds it in every language.
      keywords: [
        view.replaceAll('_', ' '),
        other((said) => `${said.of(definition).many} ${said.of(definition).view(view)}`),
      ].join('\n'),
      icon: <FilterOutlined />,
      run: () => void navigate(`${path}?view=${view}`),
    }),
  )
  const forms = usableForms(can).map(
    ({ path, resource }): Command => ({
      key: `create:${resource}`,
      group: 'create',
      label: t('common:actions.new', { name: label(resource).one }),
      keywords: other((said) => said.t('common:actions.new', { name: said.label(resource).one })),
      icon: <PlusOutlined />,
      run: () => void navigate(path),
    }),
  )
  return [
    ...useRecordCommands(other),
    ...screens,
    ...views,
    ...forms,
    ...useSettingCommands(onShowKeys, other),
    ...useCompanyCommands(other),
  ]
}
