// Generated from the migrated database by `npm run types`. Do not edit.

export type Json = string | number | boolean | null | { [key: string]: Json | undefined } | Json[]

export type Database = {
  public: {
    Tables: {
      alerts: {
        Row: {
          company_id: string
          created_at: string
          device_id: string
          id: string
          message: string
          monitor_id: string
          opened_at: string
          resolved_at: string | null
          severity: string
          status: string
          updated_at: string
          version: number
        }
        Insert: {
          company_id: string
          created_at?: string
          device_id: string
          id?: string
          message?: string
          monitor_id: string
          opened_at?: string
          resolved_at?: string | null
          severity?: string
          status?: string
          updated_at?: string
          version?: number
        }
        Update: {
          company_id?: string
          created_at?: string
          device_id?: string
          id?: string
          message?: string
          monitor_id?: string
          opened_at?: string
          resolved_at?: string | null
          severity?: string
          status?: string
          updated_at?: string
          version?: number
        }
        Relationships: [
          {
            foreignKeyName: 'alerts_company_id_device_id_fkey'
            columns: ['company_id', 'device_id']
            isOneToOne: false
            referencedRelation: 'devices'
            referencedColumns: ['company_id', 'id']
          },
          {
            foreignKeyName: 'alerts_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'alerts_company_id_monitor_id_fkey'
            columns: ['company_id', 'monitor_id']
            isOneToOne: false
            referencedRelation: 'monitors'
            referencedColumns: ['company_id', 'id']
          },
        ]
      }
      audit_log: {
        Row: {
          action: string
          actor_email: string | null
          actor_id: string | null
          at: string
          changes: Json
          company_id: string | null
          id: string
          row_id: string
          table_name: string
        }
        Insert: {
          action: string
          actor_email?: string | null
          actor_id?: string | null
          at?: string
          changes?: Json
          company_id?: string | null
          id?: string
          row_id: string
          table_name: string
        }
        Update: {
          action?: string
          actor_email?: string | null
          actor_id?: string | null
          at?: string
          changes?: Json
          company_id?: string | null
          id?: string
          row_id?: string
          table_name?: string
        }
        Relationships: []
      }
      companies: {
        Row: {
          created_at: string
          id: string
          license_end_date: string | null
          license_type: string
          name: string
          name_key: string | null
          search: string | null
          seats: number | null
          status: string
          timezone: string
          updated_at: string
          version: number
        }
        Insert: {
          created_at?: string
          id?: string
          license_end_date?: string | null
          license_type?: string
          name: string
          name_key?: never
          search?: never
          seats?: number | null
          status?: string
          timezone?: string
          updated_at?: string
          version?: number
        }
        Update: {
          created_at?: string
          id?: string
          license_end_date?: string | null
          license_type?: string
          name?: string
          name_key?: never
          search?: never
          seats?: number | null
          status?: string
          timezone?: string
          updated_at?: string
          version?: number
        }
        Relationships: []
      }
      device_presence: {
        Row: {
          company_id: string
          cpu_percent: number | null
          device_id: string
          disk_percent: number | null
          interval_seconds: number
          inventory_hash: string | null
          last_seen_at: string
          memory_percent: number | null
          online: boolean
          updated_at: string
        }
        Insert: {
          company_id: string
          cpu_percent?: number | null
          device_id: string
          disk_percent?: number | null
          interval_seconds?: number
          inventory_hash?: string | null
          last_seen_at?: string
          memory_percent?: number | null
          online?: boolean
          updated_at?: string
        }
        Update: {
          company_id?: string
          cpu_percent?: number | null
          device_id?: string
          disk_percent?: number | null
          interval_seconds?: number
          inventory_hash?: string | null
          last_seen_at?: string
          memory_percent?: number | null
          online?: boolean
          updated_at?: string
        }
        Relationships: [
          {
            foreignKeyName: 'device_presence_company_id_device_id_fkey'
            columns: ['company_id', 'device_id']
            isOneToOne: true
            referencedRelation: 'devices'
            referencedColumns: ['company_id', 'id']
          },
        ]
      }
      device_software: {
        Row: {
          company_id: string
          created_at: string
          device_id: string
          id: string
          install_date: string | null
          size_mb: number | null
          software_id: string
          version: string
        }
        Insert: {
          company_id: string
          created_at?: string
          device_id: string
          id?: string
          install_date?: string | null
          size_mb?: number | null
          software_id: string
          version?: string
        }
        Update: {
          company_id?: string
          created_at?: string
          device_id?: string
          id?: string
          install_date?: string | null
          size_mb?: number | null
          software_id?: string
          version?: string
        }
        Relationships: [
          {
            foreignKeyName: 'device_software_company_id_device_id_fkey'
            columns: ['company_id', 'device_id']
            isOneToOne: false
            referencedRelation: 'devices'
            referencedColumns: ['company_id', 'id']
          },
          {
            foreignKeyName: 'device_software_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'device_software_company_id_software_id_fkey'
            columns: ['company_id', 'software_id']
            isOneToOne: false
            referencedRelation: 'software'
            referencedColumns: ['company_id', 'id']
          },
        ]
      }
      devices: {
        Row: {
          agent_version: string | null
          boot_time: string | null
          clone_suspected: boolean
          company_id: string
          cpu: string | null
          cpu_cores: number | null
          created_at: string
          disks: Json
          enrolled_at: string | null
          hostname: string | null
          id: string
          ip_address: string | null
          logged_in_user: string | null
          machine_id: string | null
          make: string | null
          memory_mb: number | null
          model: string | null
          name: string
          name_key: string | null
          network: Json
          notes: string | null
          offline_since: string | null
          os: string | null
          os_version: string | null
          platform: string | null
          reboot_required: boolean
          search: string | null
          serial: string | null
          status: string
          updated_at: string
          version: number
        }
        Insert: {
          agent_version?: string | null
          boot_time?: string | null
          clone_suspected?: boolean
          company_id: string
          cpu?: string | null
          cpu_cores?: number | null
          created_at?: string
          disks?: Json
          enrolled_at?: string | null
          hostname?: string | null
          id?: string
          ip_address?: string | null
          logged_in_user?: string | null
          machine_id?: string | null
          make?: string | null
          memory_mb?: number | null
          model?: string | null
          name: string
          name_key?: never
          network?: Json
          notes?: string | null
          offline_since?: string | null
          os?: string | null
          os_version?: string | null
          platform?: string | null
          reboot_required?: boolean
          search?: never
          serial?: string | null
          status?: string
          updated_at?: string
          version?: number
        }
        Update: {
          agent_version?: string | null
          boot_time?: string | null
          clone_suspected?: boolean
          company_id?: string
          cpu?: string | null
          cpu_cores?: number | null
          created_at?: string
          disks?: Json
          enrolled_at?: string | null
          hostname?: string | null
          id?: string
          ip_address?: string | null
          logged_in_user?: string | null
          machine_id?: string | null
          make?: string | null
          memory_mb?: number | null
          model?: string | null
          name?: string
          name_key?: never
          network?: Json
          notes?: string | null
          offline_since?: string | null
          os?: string | null
          os_version?: string | null
          platform?: string | null
          reboot_required?: boolean
          search?: never
          serial?: string | null
          status?: string
          updated_at?: string
          version?: number
        }
        Relationships: [
          {
            foreignKeyName: 'devices_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
        ]
      }
      enrollment_tokens: {
        Row: {
          company_id: string
          created_at: string
          created_by: string | null
          expires_at: string | null
          group_id: string | null
          hint: string
          id: string
          max_uses: number | null
          name: string
          revoked_at: string | null
          updated_at: string
          used_count: number
          version: number
        }
        Insert: {
          company_id: string
          created_at?: string
          created_by?: string | null
          expires_at?: string | null
          group_id?: string | null
          hint: string
          id?: string
          max_uses?: number | null
          name: string
          revoked_at?: string | null
          updated_at?: string
          used_count?: number
          version?: number
        }
        Update: {
          company_id?: string
          created_at?: string
          created_by?: string | null
          expires_at?: string | null
          group_id?: string | null
          hint?: string
          id?: string
          max_uses?: number | null
          name?: string
          revoked_at?: string | null
          updated_at?: string
          used_count?: number
          version?: number
        }
        Relationships: [
          {
            foreignKeyName: 'enrollment_tokens_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'enrollment_tokens_company_id_group_id_fkey'
            columns: ['company_id', 'group_id']
            isOneToOne: false
            referencedRelation: 'groups'
            referencedColumns: ['company_id', 'id']
          },
        ]
      }
      failed_login_attempts: {
        Row: {
          created_at: string
          failure_reason: string | null
          id: string
          ip_address: string | null
          user_agent: string | null
          user_email: string
        }
        Insert: {
          created_at?: string
          failure_reason?: string | null
          id?: string
          ip_address?: string | null
          user_agent?: string | null
          user_email: string
        }
        Update: {
          created_at?: string
          failure_reason?: string | null
          id?: string
          ip_address?: string | null
          user_agent?: string | null
          user_email?: string
        }
        Relationships: []
      }
      group_devices: {
        Row: {
          added_at: string
          company_id: string
          device_id: string
          group_id: string
        }
        Insert: {
          added_at?: string
          company_id: string
          device_id: string
          group_id: string
        }
        Update: {
          added_at?: string
          company_id?: string
          device_id?: string
          group_id?: string
        }
        Relationships: [
          {
            foreignKeyName: 'group_devices_company_id_device_id_fkey'
            columns: ['company_id', 'device_id']
            isOneToOne: false
            referencedRelation: 'devices'
            referencedColumns: ['company_id', 'id']
          },
          {
            foreignKeyName: 'group_devices_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'group_devices_company_id_group_id_fkey'
            columns: ['company_id', 'group_id']
            isOneToOne: false
            referencedRelation: 'groups'
            referencedColumns: ['company_id', 'id']
          },
        ]
      }
      groups: {
        Row: {
          company_id: string
          created_at: string
          description: string | null
          id: string
          name: string
          name_key: string | null
          search: string | null
          updated_at: string
          version: number
        }
        Insert: {
          company_id: string
          created_at?: string
          description?: string | null
          id?: string
          name: string
          name_key?: never
          search?: never
          updated_at?: string
          version?: number
        }
        Update: {
          company_id?: string
          created_at?: string
          description?: string | null
          id?: string
          name?: string
          name_key?: never
          search?: never
          updated_at?: string
          version?: number
        }
        Relationships: [
          {
            foreignKeyName: 'groups_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
        ]
      }
      job_runs: {
        Row: {
          attempt: number
          cancel_requested_at: string | null
          claimed_at: string | null
          company_id: string
          created_at: string
          device_id: string
          error: string | null
          exit_code: number | null
          finished_at: string | null
          id: string
          job_id: string
          lease_until: string | null
          output: string | null
          output_truncated: boolean
          procedure_id: string | null
          queued_at: string
          reported_at: string | null
          started_at: string | null
          status: string
          updated_at: string
          version: number
        }
        Insert: {
          attempt?: number
          cancel_requested_at?: string | null
          claimed_at?: string | null
          company_id: string
          created_at?: string
          device_id: string
          error?: string | null
          exit_code?: number | null
          finished_at?: string | null
          id?: string
          job_id: string
          lease_until?: string | null
          output?: string | null
          output_truncated?: boolean
          procedure_id?: string | null
          queued_at?: string
          reported_at?: string | null
          started_at?: string | null
          status?: string
          updated_at?: string
          version?: number
        }
        Update: {
          attempt?: number
          cancel_requested_at?: string | null
          claimed_at?: string | null
          company_id?: string
          created_at?: string
          device_id?: string
          error?: string | null
          exit_code?: number | null
          finished_at?: string | null
          id?: string
          job_id?: string
          lease_until?: string | null
          output?: string | null
          output_truncated?: boolean
          procedure_id?: string | null
          queued_at?: string
          reported_at?: string | null
          started_at?: string | null
          status?: string
          updated_at?: string
          version?: number
        }
        Relationships: [
          {
            foreignKeyName: 'job_runs_company_id_device_id_fkey'
            columns: ['company_id', 'device_id']
            isOneToOne: false
            referencedRelation: 'devices'
            referencedColumns: ['company_id', 'id']
          },
          {
            foreignKeyName: 'job_runs_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'job_runs_company_id_job_id_fkey'
            columns: ['company_id', 'job_id']
            isOneToOne: false
            referencedRelation: 'jobs'
            referencedColumns: ['company_id', 'id']
          },
          {
            foreignKeyName: 'job_runs_company_id_procedure_id_fkey'
            columns: ['company_id', 'procedure_id']
            isOneToOne: false
            referencedRelation: 'procedures'
            referencedColumns: ['company_id', 'id']
          },
        ]
      }
      jobs: {
        Row: {
          company_id: string
          created_at: string
          created_by: string | null
          expires_at: string
          failed: number
          id: string
          kind: string
          name: string
          parameters: Json
          procedure_id: string | null
          procedure_version_id: string | null
          script: string
          script_sha256: string
          script_type: string
          status: string
          succeeded: number
          timeout_seconds: number
          total: number
          updated_at: string
          version: number
        }
        Insert: {
          company_id: string
          created_at?: string
          created_by?: string | null
          expires_at: string
          failed?: number
          id?: string
          kind: string
          name: string
          parameters?: Json
          procedure_id?: string | null
          procedure_version_id?: string | null
          script: string
          script_sha256: string
          script_type: string
          status?: string
          succeeded?: number
          timeout_seconds: number
          total?: number
          updated_at?: string
          version?: number
        }
        Update: {
          company_id?: string
          created_at?: string
          created_by?: string | null
          expires_at?: string
          failed?: number
          id?: string
          kind?: string
          name?: string
          parameters?: Json
          procedure_id?: string | null
          procedure_version_id?: string | null
          script?: string
          script_sha256?: string
          script_type?: string
          status?: string
          succeeded?: number
          timeout_seconds?: number
          total?: number
          updated_at?: string
          version?: number
        }
        Relationships: [
          {
            foreignKeyName: 'jobs_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'jobs_company_id_procedure_id_fkey'
            columns: ['company_id', 'procedure_id']
            isOneToOne: false
            referencedRelation: 'procedures'
            referencedColumns: ['company_id', 'id']
          },
          {
            foreignKeyName: 'jobs_company_id_procedure_version_id_fkey'
            columns: ['company_id', 'procedure_version_id']
            isOneToOne: false
            referencedRelation: 'procedure_versions'
            referencedColumns: ['company_id', 'id']
          },
          {
            foreignKeyName: 'jobs_created_by_fkey'
            columns: ['created_by']
            isOneToOne: false
            referencedRelation: 'profiles'
            referencedColumns: ['id']
          },
        ]
      }
      monitors: {
        Row: {
          company_id: string
          created_at: string
          description: string | null
          enabled: boolean
          event_id: number | null
          id: string
          is_active: boolean
          last_check_at: string | null
          log_name: string | null
          name: string
          name_key: string | null
          process_name: string | null
          search: string | null
          service_name: string | null
          settings: Json
          severity: string
          target: string | null
          threshold: string | null
          type: string
          updated_at: string
          version: number
        }
        Insert: {
          company_id: string
          created_at?: string
          description?: string | null
          enabled?: boolean
          event_id?: number | null
          id?: string
          is_active?: boolean
          last_check_at?: string | null
          log_name?: string | null
          name: string
          name_key?: never
          process_name?: string | null
          search?: never
          service_name?: string | null
          settings?: Json
          severity?: string
          target?: string | null
          threshold?: string | null
          type: string
          updated_at?: string
          version?: number
        }
        Update: {
          company_id?: string
          created_at?: string
          description?: string | null
          enabled?: boolean
          event_id?: number | null
          id?: string
          is_active?: boolean
          last_check_at?: string | null
          log_name?: string | null
          name?: string
          name_key?: never
          process_name?: string | null
          search?: never
          service_name?: string | null
          settings?: Json
          severity?: string
          target?: string | null
          threshold?: string | null
          type?: string
          updated_at?: string
          version?: number
        }
        Relationships: [
          {
            foreignKeyName: 'monitors_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
        ]
      }
      notifications: {
        Row: {
          company_id: string | null
          created_at: string
          id: string
          kind: string
          link: string | null
          once_key: string | null
          params: Json
          read_at: string | null
          user_id: string
        }
        Insert: {
          company_id?: string | null
          created_at?: string
          id?: string
          kind: string
          link?: string | null
          once_key?: string | null
          params?: Json
          read_at?: string | null
          user_id: string
        }
        Update: {
          company_id?: string | null
          created_at?: string
          id?: string
          kind?: string
          link?: string | null
          once_key?: string | null
          params?: Json
          read_at?: string | null
          user_id?: string
        }
        Relationships: [
          {
            foreignKeyName: 'notifications_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'notifications_user_id_fkey'
            columns: ['user_id']
            isOneToOne: false
            referencedRelation: 'profiles'
            referencedColumns: ['id']
          },
        ]
      }
      procedure_logs: {
        Row: {
          company_id: string
          created_at: string
          device_id: string | null
          device_name: string
          executed_at: string
          id: string
          job_run_id: string | null
          output: string | null
          procedure_id: string | null
          procedure_name: string
          status: string
          updated_at: string
          version: number
        }
        Insert: {
          company_id: string
          created_at?: string
          device_id?: string | null
          device_name: string
          executed_at?: string
          id?: string
          job_run_id?: string | null
          output?: string | null
          procedure_id?: string | null
          procedure_name: string
          status: string
          updated_at?: string
          version?: number
        }
        Update: {
          company_id?: string
          created_at?: string
          device_id?: string | null
          device_name?: string
          executed_at?: string
          id?: string
          job_run_id?: string | null
          output?: string | null
          procedure_id?: string | null
          procedure_name?: string
          status?: string
          updated_at?: string
          version?: number
        }
        Relationships: [
          {
            foreignKeyName: 'procedure_logs_company_id_device_id_fkey'
            columns: ['company_id', 'device_id']
            isOneToOne: false
            referencedRelation: 'devices'
            referencedColumns: ['company_id', 'id']
          },
          {
            foreignKeyName: 'procedure_logs_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'procedure_logs_company_id_job_run_id_fkey'
            columns: ['company_id', 'job_run_id']
            isOneToOne: true
            referencedRelation: 'job_runs'
            referencedColumns: ['company_id', 'id']
          },
          {
            foreignKeyName: 'procedure_logs_company_id_procedure_id_fkey'
            columns: ['company_id', 'procedure_id']
            isOneToOne: false
            referencedRelation: 'procedures'
            referencedColumns: ['company_id', 'id']
          },
        ]
      }
      procedure_versions: {
        Row: {
          company_id: string
          created_at: string
          created_by: string | null
          id: string
          number: number
          parameters: Json
          procedure_id: string
          script: string
          timeout_seconds: number
          type: string
          updated_at: string
          version: number
        }
        Insert: {
          company_id: string
          created_at?: string
          created_by?: string | null
          id?: string
          number: number
          parameters: Json
          procedure_id: string
          script: string
          timeout_seconds: number
          type: string
          updated_at?: string
          version?: number
        }
        Update: {
          company_id?: string
          created_at?: string
          created_by?: string | null
          id?: string
          number?: number
          parameters?: Json
          procedure_id?: string
          script?: string
          timeout_seconds?: number
          type?: string
          updated_at?: string
          version?: number
        }
        Relationships: [
          {
            foreignKeyName: 'procedure_versions_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'procedure_versions_company_id_procedure_id_fkey'
            columns: ['company_id', 'procedure_id']
            isOneToOne: false
            referencedRelation: 'procedures'
            referencedColumns: ['company_id', 'id']
          },
          {
            foreignKeyName: 'procedure_versions_created_by_fkey'
            columns: ['created_by']
            isOneToOne: false
            referencedRelation: 'profiles'
            referencedColumns: ['id']
          },
        ]
      }
      procedures: {
        Row: {
          category: string | null
          company_id: string
          created_at: string
          created_by: string | null
          description: string | null
          id: string
          name: string
          name_key: string | null
          parameters: Json
          revision: number
          script: string
          search: string | null
          timeout_seconds: number
          type: string
          updated_at: string
          version: number
        }
        Insert: {
          category?: string | null
          company_id: string
          created_at?: string
          created_by?: string | null
          description?: string | null
          id?: string
          name: string
          name_key?: never
          parameters?: Json
          revision?: number
          script: string
          search?: never
          timeout_seconds?: number
          type: string
          updated_at?: string
          version?: number
        }
        Update: {
          category?: string | null
          company_id?: string
          created_at?: string
          created_by?: string | null
          description?: string | null
          id?: string
          name?: string
          name_key?: never
          parameters?: Json
          revision?: number
          script?: string
          search?: never
          timeout_seconds?: number
          type?: string
          updated_at?: string
          version?: number
        }
        Relationships: [
          {
            foreignKeyName: 'procedures_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'procedures_created_by_fkey'
            columns: ['created_by']
            isOneToOne: false
            referencedRelation: 'profiles'
            referencedColumns: ['id']
          },
        ]
      }
      profiles: {
        Row: {
          created_at: string
          email: string
          id: string
          name: string
          updated_at: string
        }
        Insert: {
          created_at?: string
          email: string
          id: string
          name: string
          updated_at?: string
        }
        Update: {
          created_at?: string
          email?: string
          id?: string
          name?: string
          updated_at?: string
        }
        Relationships: []
      }
      software: {
        Row: {
          company_id: string
          created_at: string
          id: string
          name: string
          publisher: string
        }
        Insert: {
          company_id: string
          created_at?: string
          id?: string
          name: string
          publisher?: string
        }
        Update: {
          company_id?: string
          created_at?: string
          id?: string
          name?: string
          publisher?: string
        }
        Relationships: [
          {
            foreignKeyName: 'software_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
        ]
      }
      user_roles: {
        Row: {
          company_id: string | null
          created_at: string
          mfa_enabled: boolean
          role: string
          updated_at: string
          user_id: string
          version: number
        }
        Insert: {
          company_id?: string | null
          created_at?: string
          mfa_enabled?: boolean
          role: string
          updated_at?: string
          user_id: string
          version?: number
        }
        Update: {
          company_id?: string | null
          created_at?: string
          mfa_enabled?: boolean
          role?: string
          updated_at?: string
          user_id?: string
          version?: number
        }
        Relationships: [
          {
            foreignKeyName: 'user_roles_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'user_roles_user_id_fkey'
            columns: ['user_id']
            isOneToOne: true
            referencedRelation: 'profiles'
            referencedColumns: ['id']
          },
        ]
      }
    }
    Views: { [_ in never]: never }
    Functions: {
      agent_check_in: {
        Args: {
          payload: Json
        }
        Returns: Json
      }
      agent_enroll: {
        Args: {
          payload: Json
        }
        Returns: Json
      }
      agent_report: {
        Args: {
          payload: Json
        }
        Returns: Json
      }
      agent_versions: {
        Args: {
          company?: string
        }
        Returns: string[]
      }
      cancel_job: {
        Args: {
          job_id: string
        }
        Returns: string
      }
      cancel_run: {
        Args: {
          run_id: string
        }
        Returns: string
      }
      create_enrollment_token: {
        Args: {
          company_id: string
          name: string
          group_id?: string
          expires_at?: string
          max_uses?: number
        }
        Returns: Json
      }
      dashboard: {
        Args: {
          company?: string
        }
        Returns: Json
      }
      my_policy: {
        Args: never
        Returns: Json
      }
      revoke_enrollment_token: {
        Args: {
          id: string
        }
        Returns: undefined
      }
      run_procedure: {
        Args: {
          procedure_id: string
          device_ids: string[]
          parameters?: Json
          expires_at?: string
        }
        Returns: string
      }
      search_devices: {
        Args: {
          q: string
        }
        Returns: {
          agent_version: string | null
          boot_time: string | null
          clone_suspected: boolean
          company_id: string
          cpu: string | null
          cpu_cores: number | null
          created_at: string
          disks: Json
          enrolled_at: string | null
          hostname: string | null
          id: string
          ip_address: string | null
          logged_in_user: string | null
          machine_id: string | null
          make: string | null
          memory_mb: number | null
          model: string | null
          name: string
          name_key: string | null
          network: Json
          notes: string | null
          offline_since: string | null
          os: string | null
          os_version: string | null
          platform: string | null
          reboot_required: boolean
          search: string | null
          serial: string | null
          status: string
          updated_at: string
          version: number
        }[]
        SetofOptions: { from: '*'; to: 'devices'; isOneToOne: false; isSetofReturn: true }
      }
      search_groups: {
        Args: {
          q: string
        }
        Returns: {
          company_id: string
          created_at: string
          description: string | null
          id: string
          name: string
          name_key: string | null
          search: string | null
          updated_at: string
          version: number
        }[]
        SetofOptions: { from: '*'; to: 'groups'; isOneToOne: false; isSetofReturn: true }
      }
      search_procedures: {
        Args: {
          q: string
        }
        Returns: {
          category: string | null
          company_id: string
          created_at: string
          created_by: string | null
          description: string | null
          id: string
          name: string
          name_key: string | null
          parameters: Json
          revision: number
          script: string
          search: string | null
          timeout_seconds: number
          type: string
          updated_at: string
          version: number
        }[]
        SetofOptions: { from: '*'; to: 'procedures'; isOneToOne: false; isSetofReturn: true }
      }
    }
    Enums: { [_ in never]: never }
    CompositeTypes: { [_ in never]: never }
  }
}
