const PATHS = {
  check:
    'M912 190h-69.9c-9.8 0-19.1 4.5-25.1 12.2L404.7 724.5 207 474a32 32 0 00-25.1-12.2H112c-6.7 0-10.4 7.7-6.3 12.9l273.9 347c12.8 16.2 37.4 16.2 50.3 0l488.4-618.9c4.1-5.1.4-12.8-6.3-12.8z',
  minus: 'M872 474H152c-4.4 0-8 3.6-8 8v60c0 4.4 3.6 8 8 8h720c4.4 0 8-3.6 8-8v-60c0-4.4-3.6-8-8-8z',
  more: 'M456 231a56 56 0 10112 0 56 56 0 10-112 0zm0 280a56 56 0 10112 0 56 56 0 10-112 0zm0 280a56 56 0 10112 0 56 56 0 10-112 0z',
}

/**
 * A decorative icon in every row of a list. The library's component sets up styles and a theme for each icon,
 * which slows down scrolling through hundreds of rows; this one only draws.
 */
export function RowIcon({ shape }: { shape: keyof typeof PATHS }) {
  return (
    <span className="anticon" aria-hidden="true">
      <svg viewBox="64 64 896 896" width="1em" height="1em" fill="currentColor" aria-hidden="true">
        <path d={PATHS[shape]} />
      </svg>
    </span>
  )
}
