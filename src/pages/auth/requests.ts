import { lazyPart } from '@/ui/load-chunk'

export const loadRequests = () => import('@/pages/auth/auth-requests')

export const LoginRequest = lazyPart(async () => ({ default: (await loadRequests()).LoginRequest }))
export const ForgotPasswordRequest = lazyPart(async () => ({
  default: (await loadRequests()).ForgotPasswordRequest,
}))
export const UpdatePasswordRequest = lazyPart(async () => ({
  default: (await loadRequests()).UpdatePasswordRequest,
}))
