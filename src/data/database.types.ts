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
          flapping: string | null
          id: string
          in_cooldown: boolean
          message: string
          monitor_id: string
          opened_at: string
          resolved_at: string | null
          search: string | null
          severity: string
          status: string
          suppressed_by: string | null
          times: number
          updated_at: string
          version: number
        }
        Insert: {
          company_id: string
          created_at?: string
          device_id: string
          flapping?: never
          id?: string
          in_cooldown?: boolean
          message?: string
          monitor_id: string
          opened_at?: string
          resolved_at?: string | null
          search?: never
          severity?: string
          status?: string
          suppressed_by?: string | null
          times?: number
          updated_at?: string
          version?: number
        }
        Update: {
          company_id?: string
          created_at?: string
          device_id?: string
          flapping?: never
          id?: string
          in_cooldown?: boolean
          message?: string
          monitor_id?: string
          opened_at?: string
          resolved_at?: string | null
          search?: never
          severity?: string
          status?: string
          suppressed_by?: string | null
          times?: number
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
      apps: {
        Row: {
          apt_id: string | null
          brew_id: string | null
          category: string
          choco_id: string | null
          created_at: string
          description: string | null
          enabled: boolean
          homepage: string | null
          id: string
          name: string
          name_key: string | null
          publisher: string | null
          publisher_key: string | null
          search: string | null
          updated_at: string
          version: number
          winget_id: string | null
        }
        Insert: {
          apt_id?: string | null
          brew_id?: string | null
          category?: string
          choco_id?: string | null
          created_at?: string
          description?: string | null
          enabled?: boolean
          homepage?: string | null
          id?: string
          name: string
          name_key?: never
          publisher?: string | null
          publisher_key?: never
          search?: never
          updated_at?: string
          version?: number
          winget_id?: string | null
        }
        Update: {
          apt_id?: string | null
          brew_id?: string | null
          category?: string
          choco_id?: string | null
          created_at?: string
          description?: string | null
          enabled?: boolean
          homepage?: string | null
          id?: string
          name?: string
          name_key?: never
          publisher?: string | null
          publisher_key?: never
          search?: never
          updated_at?: string
          version?: number
          winget_id?: string | null
        }
        Relationships: []
      }
      article_votes: {
        Row: {
          article_id: string
          company_id: string
          is_helpful: boolean
          user_id: string
          voted_at: string
        }
        Insert: {
          article_id: string
          company_id: string
          is_helpful: boolean
          user_id?: string
          voted_at?: string
        }
        Update: {
          article_id?: string
          company_id?: string
          is_helpful?: boolean
          user_id?: string
          voted_at?: string
        }
        Relationships: [
          {
            foreignKeyName: 'article_votes_company_id_article_id_fkey'
            columns: ['company_id', 'article_id']
            isOneToOne: false
            referencedRelation: 'articles'
            referencedColumns: ['company_id', 'id']
          },
          {
            foreignKeyName: 'article_votes_user_id_fkey'
            columns: ['user_id']
            isOneToOne: false
            referencedRelation: 'profiles'
            referencedColumns: ['id']
          },
        ]
      }
      articles: {
        Row: {
          audience: string
          body: string
          category_id: string | null
          company_id: string
          created_at: string
          deleted_at: string | null
          deleted_by: string | null
          deleted_name: string | null
          helpful: number
          id: string
          language: string
          search: string | null
          status: string
          title: string
          title_key: string | null
          unhelpful: number
          updated_at: string
          version: number
        }
        Insert: {
          audience?: string
          body: string
          category_id?: string | null
          company_id: string
          created_at?: string
          deleted_at?: string | null
          deleted_by?: string | null
          deleted_name?: string | null
          helpful?: number
          id?: string
          language?: string
          search?: never
          status?: string
          title: string
          title_key?: never
          unhelpful?: number
          updated_at?: string
          version?: number
        }
        Update: {
          audience?: string
          body?: string
          category_id?: string | null
          company_id?: string
          created_at?: string
          deleted_at?: string | null
          deleted_by?: string | null
          deleted_name?: string | null
          helpful?: number
          id?: string
          language?: string
          search?: never
          status?: string
          title?: string
          title_key?: never
          unhelpful?: number
          updated_at?: string
          version?: number
        }
        Relationships: [
          {
            foreignKeyName: 'articles_company_id_category_id_fkey'
            columns: ['company_id', 'category_id']
            isOneToOne: false
            referencedRelation: 'ticket_categories'
            referencedColumns: ['company_id', 'id']
          },
          {
            foreignKeyName: 'articles_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
        ]
      }
      assignment_rules: {
        Row: {
          assignee_id: string | null
          assigns: string
          category_id: string | null
          company_id: string
          created_at: string
          enabled: boolean
          group_id: string | null
          id: string
          issue_id: string | null
          name: string
          name_key: string | null
          position: number
          priority: string | null
          reach_note: string | null
          requester_id: string | null
          role: string | null
          search: string | null
          updated_at: string
          version: number
        }
        Insert: {
          assignee_id?: string | null
          assigns?: string
          category_id?: string | null
          company_id: string
          created_at?: string
          enabled?: boolean
          group_id?: string | null
          id?: string
          issue_id?: string | null
          name: string
          name_key?: never
          position?: number
          priority?: string | null
          reach_note?: string | null
          requester_id?: string | null
          role?: string | null
          search?: never
          updated_at?: string
          version?: number
        }
        Update: {
          assignee_id?: string | null
          assigns?: string
          category_id?: string | null
          company_id?: string
          created_at?: string
          enabled?: boolean
          group_id?: string | null
          id?: string
          issue_id?: string | null
          name?: string
          name_key?: never
          position?: number
          priority?: string | null
          reach_note?: string | null
          requester_id?: string | null
          role?: string | null
          search?: never
          updated_at?: string
          version?: number
        }
        Relationships: [
          {
            foreignKeyName: 'assignment_rules_assignee_id_fkey'
            columns: ['assignee_id']
            isOneToOne: false
            referencedRelation: 'profiles'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'assignment_rules_company_id_category_id_fkey'
            columns: ['company_id', 'category_id']
            isOneToOne: false
            referencedRelation: 'ticket_categories'
            referencedColumns: ['company_id', 'id']
          },
          {
            foreignKeyName: 'assignment_rules_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'assignment_rules_company_id_group_id_fkey'
            columns: ['company_id', 'group_id']
            isOneToOne: false
            referencedRelation: 'groups'
            referencedColumns: ['company_id', 'id']
          },
          {
            foreignKeyName: 'assignment_rules_requester_id_fkey'
            columns: ['requester_id']
            isOneToOne: false
            referencedRelation: 'profiles'
            referencedColumns: ['id']
          },
        ]
      }
      audit_log: {
        Row: {
          action: string
          actor_email: string | null
          actor_id: string | null
          actor_name: string | null
          at: string
          changes: Json
          company_id: string | null
          device_id: string | null
          id: string
          row_id: string
          row_name: string | null
          table_name: string
        }
        Insert: {
          action: string
          actor_email?: string | null
          actor_id?: string | null
          actor_name?: string | null
          at?: string
          changes?: Json
          company_id?: string | null
          device_id?: never
          id?: string
          row_id: string
          row_name?: string | null
          table_name: string
        }
        Update: {
          action?: string
          actor_email?: string | null
          actor_id?: string | null
          actor_name?: string | null
          at?: string
          changes?: Json
          company_id?: string | null
          device_id?: never
          id?: string
          row_id?: string
          row_name?: string | null
          table_name?: string
        }
        Relationships: []
      }
      automation_devices: {
        Row: {
          added_at: string
          automation_id: string
          company_id: string
          device_id: string
        }
        Insert: {
          added_at?: string
          automation_id: string
          company_id: string
          device_id: string
        }
        Update: {
          added_at?: string
          automation_id?: string
          company_id?: string
          device_id?: string
        }
        Relationships: [
          {
            foreignKeyName: 'automation_devices_company_id_automation_id_fkey'
            columns: ['company_id', 'automation_id']
            isOneToOne: false
            referencedRelation: 'automations'
            referencedColumns: ['company_id', 'id']
          },
          {
            foreignKeyName: 'automation_devices_company_id_device_id_fkey'
            columns: ['company_id', 'device_id']
            isOneToOne: false
            referencedRelation: 'devices'
            referencedColumns: ['company_id', 'id']
          },
          {
            foreignKeyName: 'automation_devices_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
        ]
      }
      automation_groups: {
        Row: {
          added_at: string
          automation_id: string
          company_id: string
          group_id: string
        }
        Insert: {
          added_at?: string
          automation_id: string
          company_id: string
          group_id: string
        }
        Update: {
          added_at?: string
          automation_id?: string
          company_id?: string
          group_id?: string
        }
        Relationships: [
          {
            foreignKeyName: 'automation_groups_company_id_automation_id_fkey'
            columns: ['company_id', 'automation_id']
            isOneToOne: false
            referencedRelation: 'automations'
            referencedColumns: ['company_id', 'id']
          },
          {
            foreignKeyName: 'automation_groups_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'automation_groups_company_id_group_id_fkey'
            columns: ['company_id', 'group_id']
            isOneToOne: false
            referencedRelation: 'groups'
            referencedColumns: ['company_id', 'id']
          },
        ]
      }
      automation_monitors: {
        Row: {
          added_at: string
          automation_id: string
          company_id: string
          monitor_id: string
        }
        Insert: {
          added_at?: string
          automation_id: string
          company_id: string
          monitor_id: string
        }
        Update: {
          added_at?: string
          automation_id?: string
          company_id?: string
          monitor_id?: string
        }
        Relationships: [
          {
            foreignKeyName: 'automation_monitors_company_id_automation_id_fkey'
            columns: ['company_id', 'automation_id']
            isOneToOne: false
            referencedRelation: 'automations'
            referencedColumns: ['company_id', 'id']
          },
          {
            foreignKeyName: 'automation_monitors_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'automation_monitors_company_id_monitor_id_fkey'
            columns: ['company_id', 'monitor_id']
            isOneToOne: false
            referencedRelation: 'monitors'
            referencedColumns: ['company_id', 'id']
          },
        ]
      }
      automation_runs: {
        Row: {
          alert_id: string | null
          automation_id: string
          company_id: string
          created_at: string
          device_id: string
          error: string | null
          failed_steps: number
          finished_at: string | null
          group_id: string | null
          id: string
          procedure_id: string | null
          started_at: string
          started_by: string | null
          status: string
          step: number | null
          step_id: string | null
          trigger: string
          updated_at: string
          version: number
        }
        Insert: {
          alert_id?: string | null
          automation_id: string
          company_id: string
          created_at?: string
          device_id: string
          error?: string | null
          failed_steps?: number
          finished_at?: string | null
          group_id?: string | null
          id?: string
          procedure_id?: string | null
          started_at?: string
          started_by?: string | null
          status?: string
          step?: number | null
          step_id?: string | null
          trigger: string
          updated_at?: string
          version?: number
        }
        Update: {
          alert_id?: string | null
          automation_id?: string
          company_id?: string
          created_at?: string
          device_id?: string
          error?: string | null
          failed_steps?: number
          finished_at?: string | null
          group_id?: string | null
          id?: string
          procedure_id?: string | null
          started_at?: string
          started_by?: string | null
          status?: string
          step?: number | null
          step_id?: string | null
          trigger?: string
          updated_at?: string
          version?: number
        }
        Relationships: [
          {
            foreignKeyName: 'automation_runs_company_id_alert_id_fkey'
            columns: ['company_id', 'alert_id']
            isOneToOne: false
            referencedRelation: 'alerts'
            referencedColumns: ['company_id', 'id']
          },
          {
            foreignKeyName: 'automation_runs_company_id_automation_id_fkey'
            columns: ['company_id', 'automation_id']
            isOneToOne: false
            referencedRelation: 'automations'
            referencedColumns: ['company_id', 'id']
          },
          {
            foreignKeyName: 'automation_runs_company_id_device_id_fkey'
            columns: ['company_id', 'device_id']
            isOneToOne: false
            referencedRelation: 'devices'
            referencedColumns: ['company_id', 'id']
          },
          {
            foreignKeyName: 'automation_runs_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'automation_runs_company_id_group_id_fkey'
            columns: ['company_id', 'group_id']
            isOneToOne: false
            referencedRelation: 'groups'
            referencedColumns: ['company_id', 'id']
          },
          {
            foreignKeyName: 'automation_runs_company_id_procedure_id_fkey'
            columns: ['company_id', 'procedure_id']
            isOneToOne: false
            referencedRelation: 'procedures'
            referencedColumns: ['company_id', 'id']
          },
          {
            foreignKeyName: 'automation_runs_started_by_fkey'
            columns: ['started_by']
            isOneToOne: false
            referencedRelation: 'profiles'
            referencedColumns: ['id']
          },
        ]
      }
      automation_steps: {
        Row: {
          automation_id: string
          company_id: string
          created_at: string
          id: string
          on_failure: string
          position: number | null
          procedure_id: string
          updated_at: string
          version: number
        }
        Insert: {
          automation_id: string
          company_id: string
          created_at?: string
          id?: string
          on_failure?: string
          position?: number | null
          procedure_id: string
          updated_at?: string
          version?: number
        }
        Update: {
          automation_id?: string
          company_id?: string
          created_at?: string
          id?: string
          on_failure?: string
          position?: number | null
          procedure_id?: string
          updated_at?: string
          version?: number
        }
        Relationships: [
          {
            foreignKeyName: 'automation_steps_company_id_automation_id_fkey'
            columns: ['company_id', 'automation_id']
            isOneToOne: false
            referencedRelation: 'automations'
            referencedColumns: ['company_id', 'id']
          },
          {
            foreignKeyName: 'automation_steps_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'automation_steps_company_id_procedure_id_fkey'
            columns: ['company_id', 'procedure_id']
            isOneToOne: false
            referencedRelation: 'procedures'
            referencedColumns: ['company_id', 'id']
          },
        ]
      }
      automations: {
        Row: {
          company_id: string
          created_at: string
          created_by: string | null
          description: string | null
          enabled: boolean
          every_minutes: number | null
          frequency: string | null
          id: string
          last_run_at: string | null
          month_day: number | null
          month_week: string | null
          month_weekday: string | null
          name: string
          name_key: string | null
          next_run_at: string | null
          online_only: boolean
          paused_for: string | null
          platform: string | null
          problem: string | null
          search: string | null
          set_by: string | null
          set_by_operator: boolean
          starts_at: string | null
          time_of_day: string | null
          timezone: string | null
          trigger: string
          updated_at: string
          version: number
          weekdays: string[]
        }
        Insert: {
          company_id: string
          created_at?: string
          created_by?: string | null
          description?: string | null
          enabled?: boolean
          every_minutes?: number | null
          frequency?: string | null
          id?: string
          last_run_at?: string | null
          month_day?: number | null
          month_week?: string | null
          month_weekday?: string | null
          name: string
          name_key?: never
          next_run_at?: string | null
          online_only?: boolean
          paused_for?: string | null
          platform?: string | null
          problem?: string | null
          search?: never
          set_by?: string | null
          set_by_operator?: boolean
          starts_at?: string | null
          time_of_day?: string | null
          timezone?: string | null
          trigger?: string
          updated_at?: string
          version?: number
          weekdays?: string[]
        }
        Update: {
          company_id?: string
          created_at?: string
          created_by?: string | null
          description?: string | null
          enabled?: boolean
          every_minutes?: number | null
          frequency?: string | null
          id?: string
          last_run_at?: string | null
          month_day?: number | null
          month_week?: string | null
          month_weekday?: string | null
          name?: string
          name_key?: never
          next_run_at?: string | null
          online_only?: boolean
          paused_for?: string | null
          platform?: string | null
          problem?: string | null
          search?: never
          set_by?: string | null
          set_by_operator?: boolean
          starts_at?: string | null
          time_of_day?: string | null
          timezone?: string | null
          trigger?: string
          updated_at?: string
          version?: number
          weekdays?: string[]
        }
        Relationships: [
          {
            foreignKeyName: 'automations_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'automations_created_by_fkey'
            columns: ['created_by']
            isOneToOne: false
            referencedRelation: 'profiles'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'automations_set_by_fkey'
            columns: ['set_by']
            isOneToOne: false
            referencedRelation: 'profiles'
            referencedColumns: ['id']
          },
        ]
      }
      business_calendars: {
        Row: {
          company_id: string
          country: string | null
          created_at: string
          filled_days: Json
          holidays: Json
          hours: Json
          id: string
          is_default: boolean
          name: string
          name_key: string | null
          region: string | null
          search: string | null
          timezone: string
          updated_at: string
          version: number
        }
        Insert: {
          company_id: string
          country?: string | null
          created_at?: string
          filled_days?: Json
          holidays?: Json
          hours?: Json
          id?: string
          is_default?: boolean
          name: string
          name_key?: never
          region?: string | null
          search?: never
          timezone?: string
          updated_at?: string
          version?: number
        }
        Update: {
          company_id?: string
          country?: string | null
          created_at?: string
          filled_days?: Json
          holidays?: Json
          hours?: Json
          id?: string
          is_default?: boolean
          name?: string
          name_key?: never
          region?: string | null
          search?: never
          timezone?: string
          updated_at?: string
          version?: number
        }
        Relationships: [
          {
            foreignKeyName: 'business_calendars_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
        ]
      }
      canned_replies: {
        Row: {
          body: string
          category_id: string | null
          company_id: string
          created_at: string
          id: string
          language: string | null
          name: string
          name_key: string | null
          owner_id: string | null
          scope: string
          search: string | null
          shortcut: string
          updated_at: string
          version: number
        }
        Insert: {
          body: string
          category_id?: string | null
          company_id: string
          created_at?: string
          id?: string
          language?: string | null
          name: string
          name_key?: never
          owner_id?: string | null
          scope?: string
          search?: never
          shortcut: string
          updated_at?: string
          version?: number
        }
        Update: {
          body?: string
          category_id?: string | null
          company_id?: string
          created_at?: string
          id?: string
          language?: string | null
          name?: string
          name_key?: never
          owner_id?: string | null
          scope?: string
          search?: never
          shortcut?: string
          updated_at?: string
          version?: number
        }
        Relationships: [
          {
            foreignKeyName: 'canned_replies_company_id_category_id_fkey'
            columns: ['company_id', 'category_id']
            isOneToOne: false
            referencedRelation: 'ticket_categories'
            referencedColumns: ['company_id', 'id']
          },
          {
            foreignKeyName: 'canned_replies_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'canned_replies_owner_id_fkey'
            columns: ['owner_id']
            isOneToOne: false
            referencedRelation: 'profiles'
            referencedColumns: ['id']
          },
        ]
      }
      companies: {
        Row: {
          created_at: string
          device_count: number
          id: string
          license_end_date: string | null
          license_type: string
          name: string
          name_key: string | null
          search: string | null
          seats: number | null
          seats_left: number | null
          status: string
          timezone: string
          updated_at: string
          version: number
        }
        Insert: {
          created_at?: string
          device_count?: number
          id?: string
          license_end_date?: string | null
          license_type?: string
          name: string
          name_key?: never
          search?: never
          seats?: number | null
          seats_left?: never
          status?: string
          timezone?: string
          updated_at?: string
          version?: number
        }
        Update: {
          created_at?: string
          device_count?: number
          id?: string
          license_end_date?: string | null
          license_type?: string
          name?: string
          name_key?: never
          search?: never
          seats?: number | null
          seats_left?: never
          status?: string
          timezone?: string
          updated_at?: string
          version?: number
        }
        Relationships: []
      }
      corporate_app_files: {
        Row: {
          company_id: string
          corporate_app_id: string
          created_at: string
          created_by: string | null
          file_id: string
          file_name: string
          id: string
          is_current: boolean
          package_version: string
          sha256: string
          size_bytes: number
        }
        Insert: {
          company_id: string
          corporate_app_id: string
          created_at?: string
          created_by?: string | null
          file_id: string
          file_name: string
          id: string
          is_current?: boolean
          package_version: string
          sha256: string
          size_bytes: number
        }
        Update: {
          company_id?: string
          corporate_app_id?: string
          created_at?: string
          created_by?: string | null
          file_id?: string
          file_name?: string
          id?: string
          is_current?: boolean
          package_version?: string
          sha256?: string
          size_bytes?: number
        }
        Relationships: [
          {
            foreignKeyName: 'corporate_app_files_company_id_corporate_app_id_fkey'
            columns: ['company_id', 'corporate_app_id']
            isOneToOne: false
            referencedRelation: 'corporate_apps'
            referencedColumns: ['company_id', 'id']
          },
          {
            foreignKeyName: 'corporate_app_files_company_id_file_id_fkey'
            columns: ['company_id', 'file_id']
            isOneToOne: false
            referencedRelation: 'files'
            referencedColumns: ['company_id', 'id']
          },
          {
            foreignKeyName: 'corporate_app_files_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'corporate_app_files_created_by_fkey'
            columns: ['created_by']
            isOneToOne: false
            referencedRelation: 'profiles'
            referencedColumns: ['id']
          },
        ]
      }
      corporate_apps: {
        Row: {
          company_id: string
          created_at: string
          created_by: string | null
          description: string | null
          detection_rule: string | null
          id: string
          install_arguments: string | null
          name: string
          name_key: string | null
          package_version: string
          platform: string
          publisher: string | null
          publisher_key: string | null
          reboot_codes: string | null
          search: string | null
          sha256: string | null
          source_url: string | null
          success_codes: string
          updated_at: string
          version: number
        }
        Insert: {
          company_id: string
          created_at?: string
          created_by?: string | null
          description?: string | null
          detection_rule?: string | null
          id?: string
          install_arguments?: string | null
          name: string
          name_key?: never
          package_version: string
          platform?: string
          publisher?: string | null
          publisher_key?: never
          reboot_codes?: string | null
          search?: never
          sha256?: string | null
          source_url?: string | null
          success_codes?: string
          updated_at?: string
          version?: number
        }
        Update: {
          company_id?: string
          created_at?: string
          created_by?: string | null
          description?: string | null
          detection_rule?: string | null
          id?: string
          install_arguments?: string | null
          name?: string
          name_key?: never
          package_version?: string
          platform?: string
          publisher?: string | null
          publisher_key?: never
          reboot_codes?: string | null
          search?: never
          sha256?: string | null
          source_url?: string | null
          success_codes?: string
          updated_at?: string
          version?: number
        }
        Relationships: [
          {
            foreignKeyName: 'corporate_apps_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'corporate_apps_created_by_fkey'
            columns: ['created_by']
            isOneToOne: false
            referencedRelation: 'profiles'
            referencedColumns: ['id']
          },
        ]
      }
      desk_settings: {
        Row: {
          approve_own: boolean
          close_after_days: number | null
          company_id: string
          created_at: string
          id: string
          on_denied: string
          reopen_days: number
          reopen_on_reply: boolean
          trust_known_senders: boolean
          unknown_senders: string
          updated_at: string
          version: number
        }
        Insert: {
          approve_own?: boolean
          close_after_days?: number | null
          company_id: string
          created_at?: string
          id?: string
          on_denied?: string
          reopen_days?: number
          reopen_on_reply?: boolean
          trust_known_senders?: boolean
          unknown_senders?: string
          updated_at?: string
          version?: number
        }
        Update: {
          approve_own?: boolean
          close_after_days?: number | null
          company_id?: string
          created_at?: string
          id?: string
          on_denied?: string
          reopen_days?: number
          reopen_on_reply?: boolean
          trust_known_senders?: boolean
          unknown_senders?: string
          updated_at?: string
          version?: number
        }
        Relationships: [
          {
            foreignKeyName: 'desk_settings_company_id_fkey'
            columns: ['company_id']
            isOneToOne: true
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
        ]
      }
      device_comments: {
        Row: {
          author_id: string | null
          author_name: string | null
          body: string
          company_id: string
          created_at: string
          device_id: string
          edited_at: string | null
          id: string
          kind: string
          mentions: string[]
          once_key: string | null
          search: string | null
          version: number
        }
        Insert: {
          author_id?: string | null
          author_name?: string | null
          body: string
          company_id: string
          created_at?: string
          device_id: string
          edited_at?: string | null
          id?: string
          kind?: string
          mentions?: string[]
          once_key?: string | null
          search?: never
          version?: number
        }
        Update: {
          author_id?: string | null
          author_name?: string | null
          body?: string
          company_id?: string
          created_at?: string
          device_id?: string
          edited_at?: string | null
          id?: string
          kind?: string
          mentions?: string[]
          once_key?: string | null
          search?: never
          version?: number
        }
        Relationships: [
          {
            foreignKeyName: 'device_comments_author_id_fkey'
            columns: ['author_id']
            isOneToOne: false
            referencedRelation: 'profiles'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'device_comments_company_id_device_id_fkey'
            columns: ['company_id', 'device_id']
            isOneToOne: false
            referencedRelation: 'devices'
            referencedColumns: ['company_id', 'id']
          },
          {
            foreignKeyName: 'device_comments_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
        ]
      }
      device_patches: {
        Row: {
          company_id: string
          created_at: string
          device_id: string
          device_key: string | null
          error: string | null
          exception: string | null
          exception_scope: string | null
          failed_at: string | null
          id: string
          installed_at: string | null
          installed_version: string | null
          missing_since: string
          patch_id: string
          reboot_required: boolean
          run_id: string | null
          severity: string | null
          status: string
          superseded: boolean
          title_key: string | null
          updated_at: string
        }
        Insert: {
          company_id: string
          created_at?: string
          device_id: string
          device_key?: string | null
          error?: string | null
          exception?: string | null
          exception_scope?: string | null
          failed_at?: string | null
          id?: string
          installed_at?: string | null
          installed_version?: string | null
          missing_since?: string
          patch_id: string
          reboot_required?: boolean
          run_id?: string | null
          severity?: string | null
          status?: string
          superseded?: boolean
          title_key?: string | null
          updated_at?: string
        }
        Update: {
          company_id?: string
          created_at?: string
          device_id?: string
          device_key?: string | null
          error?: string | null
          exception?: string | null
          exception_scope?: string | null
          failed_at?: string | null
          id?: string
          installed_at?: string | null
          installed_version?: string | null
          missing_since?: string
          patch_id?: string
          reboot_required?: boolean
          run_id?: string | null
          severity?: string | null
          status?: string
          superseded?: boolean
          title_key?: string | null
          updated_at?: string
        }
        Relationships: [
          {
            foreignKeyName: 'device_patches_company_id_device_id_fkey'
            columns: ['company_id', 'device_id']
            isOneToOne: false
            referencedRelation: 'devices'
            referencedColumns: ['company_id', 'id']
          },
          {
            foreignKeyName: 'device_patches_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'device_patches_company_id_patch_id_fkey'
            columns: ['company_id', 'patch_id']
            isOneToOne: false
            referencedRelation: 'patches'
            referencedColumns: ['company_id', 'id']
          },
        ]
      }
      device_presence: {
        Row: {
          agent_instances: string[]
          agent_target: string | null
          agent_target_asked: boolean
          agent_update_days: number | null
          check_in_seconds: number | null
          company_id: string
          cpu_percent: number | null
          device_id: string
          disk_percent: number | null
          instance_returns: number
          interval_seconds: number
          inventory_hash: string | null
          last_seen_at: string
          memory_percent: number | null
          monitors_hash: string | null
          monitors_stamp: number | null
          online: boolean
          updated_at: string
        }
        Insert: {
          agent_instances?: string[]
          agent_target?: string | null
          agent_target_asked?: boolean
          agent_update_days?: number | null
          check_in_seconds?: number | null
          company_id: string
          cpu_percent?: number | null
          device_id: string
          disk_percent?: number | null
          instance_returns?: number
          interval_seconds?: number
          inventory_hash?: string | null
          last_seen_at?: string
          memory_percent?: number | null
          monitors_hash?: string | null
          monitors_stamp?: number | null
          online?: boolean
          updated_at?: string
        }
        Update: {
          agent_instances?: string[]
          agent_target?: string | null
          agent_target_asked?: boolean
          agent_update_days?: number | null
          check_in_seconds?: number | null
          company_id?: string
          cpu_percent?: number | null
          device_id?: string
          disk_percent?: number | null
          instance_returns?: number
          interval_seconds?: number
          inventory_hash?: string | null
          last_seen_at?: string
          memory_percent?: number | null
          monitors_hash?: string | null
          monitors_stamp?: number | null
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
          device_key: string | null
          id: string
          install_date: string | null
          publisher_key: string | null
          size_key: number | null
          size_mb: number | null
          software_id: string
          title_key: string | null
          version: string
          version_key: string | null
        }
        Insert: {
          company_id: string
          created_at?: string
          device_id: string
          device_key?: string | null
          id?: string
          install_date?: string | null
          publisher_key?: string | null
          size_key?: never
          size_mb?: number | null
          software_id: string
          title_key?: string | null
          version?: string
          version_key?: never
        }
        Update: {
          company_id?: string
          created_at?: string
          device_id?: string
          device_key?: string | null
          id?: string
          install_date?: string | null
          publisher_key?: string | null
          size_key?: never
          size_mb?: number | null
          software_id?: string
          title_key?: string | null
          version?: string
          version_key?: never
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
      device_tags: {
        Row: {
          company_id: string
          device_id: string
          tag_id: string
        }
        Insert: {
          company_id: string
          device_id: string
          tag_id: string
        }
        Update: {
          company_id?: string
          device_id?: string
          tag_id?: string
        }
        Relationships: [
          {
            foreignKeyName: 'device_tags_company_id_device_id_fkey'
            columns: ['company_id', 'device_id']
            isOneToOne: false
            referencedRelation: 'devices'
            referencedColumns: ['company_id', 'id']
          },
          {
            foreignKeyName: 'device_tags_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'device_tags_company_id_tag_id_fkey'
            columns: ['company_id', 'tag_id']
            isOneToOne: false
            referencedRelation: 'tags'
            referencedColumns: ['company_id', 'id']
          },
        ]
      }
      devices: {
        Row: {
          agent_update_reason: string | null
          agent_update_state: string | null
          agent_update_version: string | null
          agent_version: string | null
          boot_time: string | null
          clone_suspected: boolean
          company_id: string
          cpu: string | null
          cpu_cores: number | null
          created_at: string
          disks: Json
          enrolled_at: string | null
          enrollment_token_id: string | null
          gpu: string | null
          hostname: string | null
          id: string
          inventory_refused: string | null
          inventory_refused_at: string | null
          ip_address: string | null
          logged_in_user: string | null
          machine_id: string | null
          maintenance_note: string | null
          maintenance_until: string | null
          make: string | null
          memory_mb: number | null
          missing_updates: number
          model: string | null
          name: string
          name_key: string | null
          network: Json
          notes: string | null
          offline_since: string | null
          open_alerts: number
          os: string | null
          os_version: string | null
          outdated_severity: string | null
          outdated_since: string | null
          owner_id: string | null
          platform: string | null
          reboot_required: boolean
          search: string | null
          serial: string | null
          status: string
          timezone: string | null
          updated_at: string
          updates_cut: boolean
          updates_known: boolean
          version: number
        }
        Insert: {
          agent_update_reason?: string | null
          agent_update_state?: string | null
          agent_update_version?: string | null
          agent_version?: string | null
          boot_time?: string | null
          clone_suspected?: boolean
          company_id: string
          cpu?: string | null
          cpu_cores?: number | null
          created_at?: string
          disks?: Json
          enrolled_at?: string | null
          enrollment_token_id?: string | null
          gpu?: string | null
          hostname?: string | null
          id?: string
          inventory_refused?: string | null
          inventory_refused_at?: string | null
          ip_address?: string | null
          logged_in_user?: string | null
          machine_id?: string | null
          maintenance_note?: string | null
          maintenance_until?: string | null
          make?: string | null
          memory_mb?: number | null
          missing_updates?: number
          model?: string | null
          name: string
          name_key?: never
          network?: Json
          notes?: string | null
          offline_since?: string | null
          open_alerts?: number
          os?: string | null
          os_version?: string | null
          outdated_severity?: string | null
          outdated_since?: string | null
          owner_id?: string | null
          platform?: string | null
          reboot_required?: boolean
          search?: never
          serial?: string | null
          status?: string
          timezone?: string | null
          updated_at?: string
          updates_cut?: boolean
          updates_known?: boolean
          version?: number
        }
        Update: {
          agent_update_reason?: string | null
          agent_update_state?: string | null
          agent_update_version?: string | null
          agent_version?: string | null
          boot_time?: string | null
          clone_suspected?: boolean
          company_id?: string
          cpu?: string | null
          cpu_cores?: number | null
          created_at?: string
          disks?: Json
          enrolled_at?: string | null
          enrollment_token_id?: string | null
          gpu?: string | null
          hostname?: string | null
          id?: string
          inventory_refused?: string | null
          inventory_refused_at?: string | null
          ip_address?: string | null
          logged_in_user?: string | null
          machine_id?: string | null
          maintenance_note?: string | null
          maintenance_until?: string | null
          make?: string | null
          memory_mb?: number | null
          missing_updates?: number
          model?: string | null
          name?: string
          name_key?: never
          network?: Json
          notes?: string | null
          offline_since?: string | null
          open_alerts?: number
          os?: string | null
          os_version?: string | null
          outdated_severity?: string | null
          outdated_since?: string | null
          owner_id?: string | null
          platform?: string | null
          reboot_required?: boolean
          search?: never
          serial?: string | null
          status?: string
          timezone?: string | null
          updated_at?: string
          updates_cut?: boolean
          updates_known?: boolean
          version?: number
        }
        Relationships: [
          {
            foreignKeyName: 'devices_company_id_enrollment_token_id_fkey'
            columns: ['company_id', 'enrollment_token_id']
            isOneToOne: false
            referencedRelation: 'enrollment_tokens'
            referencedColumns: ['company_id', 'id']
          },
          {
            foreignKeyName: 'devices_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'devices_owner_id_fkey'
            columns: ['owner_id']
            isOneToOne: false
            referencedRelation: 'profiles'
            referencedColumns: ['id']
          },
        ]
      }
      enrollment_requests: {
        Row: {
          agent_version: string | null
          company_id: string
          created_at: string
          decided_at: string | null
          decided_by: string | null
          device_id: string | null
          group_id: string | null
          hostname: string
          id: string
          ip_address: string | null
          last_asked_at: string
          machine_id: string
          name_key: string | null
          platform: string
          search: string | null
          status: string
          token_id: string | null
          updated_at: string
          version: number
        }
        Insert: {
          agent_version?: string | null
          company_id: string
          created_at?: string
          decided_at?: string | null
          decided_by?: string | null
          device_id?: string | null
          group_id?: string | null
          hostname: string
          id?: string
          ip_address?: string | null
          last_asked_at?: string
          machine_id: string
          name_key?: never
          platform: string
          search?: never
          status?: string
          token_id?: string | null
          updated_at?: string
          version?: number
        }
        Update: {
          agent_version?: string | null
          company_id?: string
          created_at?: string
          decided_at?: string | null
          decided_by?: string | null
          device_id?: string | null
          group_id?: string | null
          hostname?: string
          id?: string
          ip_address?: string | null
          last_asked_at?: string
          machine_id?: string
          name_key?: never
          platform?: string
          search?: never
          status?: string
          token_id?: string | null
          updated_at?: string
          version?: number
        }
        Relationships: [
          {
            foreignKeyName: 'enrollment_requests_company_id_device_id_fkey'
            columns: ['company_id', 'device_id']
            isOneToOne: false
            referencedRelation: 'devices'
            referencedColumns: ['company_id', 'id']
          },
          {
            foreignKeyName: 'enrollment_requests_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'enrollment_requests_company_id_group_id_fkey'
            columns: ['company_id', 'group_id']
            isOneToOne: false
            referencedRelation: 'groups'
            referencedColumns: ['company_id', 'id']
          },
          {
            foreignKeyName: 'enrollment_requests_company_id_token_id_fkey'
            columns: ['company_id', 'token_id']
            isOneToOne: false
            referencedRelation: 'enrollment_tokens'
            referencedColumns: ['company_id', 'id']
          },
          {
            foreignKeyName: 'enrollment_requests_decided_by_fkey'
            columns: ['decided_by']
            isOneToOne: false
            referencedRelation: 'profiles'
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
          name_key: string | null
          requires_approval: boolean
          revoked_at: string | null
          search: string | null
          updated_at: string
          used_count: number
          used_up: boolean
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
          name_key?: never
          requires_approval?: boolean
          revoked_at?: string | null
          search?: never
          updated_at?: string
          used_count?: number
          used_up?: never
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
          name_key?: never
          requires_approval?: boolean
          revoked_at?: string | null
          search?: never
          updated_at?: string
          used_count?: number
          used_up?: never
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
          {
            foreignKeyName: 'enrollment_tokens_created_by_fkey'
            columns: ['created_by']
            isOneToOne: false
            referencedRelation: 'profiles'
            referencedColumns: ['id']
          },
        ]
      }
      failed_login_attempts: {
        Row: {
          attempts: number
          created_at: string
          failure_reason: string | null
          id: string
          ip_address: string | null
          last_at: string
          source: string
          user_agent: string | null
          user_email: string
        }
        Insert: {
          attempts?: number
          created_at?: string
          failure_reason?: string | null
          id?: string
          ip_address?: string | null
          last_at?: string
          source?: string
          user_agent?: string | null
          user_email: string
        }
        Update: {
          attempts?: number
          created_at?: string
          failure_reason?: string | null
          id?: string
          ip_address?: string | null
          last_at?: string
          source?: string
          user_agent?: string | null
          user_email?: string
        }
        Relationships: []
      }
      files: {
        Row: {
          company_id: string
          created_at: string
          created_by: string | null
          created_by_name: string | null
          field: string | null
          has_preview: boolean
          id: string
          name: string
          path: string
          record_id: string | null
          resource: string
          size: number
          type: string
          uploaded_at: string | null
        }
        Insert: {
          company_id: string
          created_at?: string
          created_by?: string | null
          created_by_name?: string | null
          field?: string | null
          has_preview?: boolean
          id?: string
          name: string
          path?: never
          record_id?: string | null
          resource: string
          size: number
          type?: string
          uploaded_at?: string | null
        }
        Update: {
          company_id?: string
          created_at?: string
          created_by?: string | null
          created_by_name?: string | null
          field?: string | null
          has_preview?: boolean
          id?: string
          name?: string
          path?: never
          record_id?: string | null
          resource?: string
          size?: number
          type?: string
          uploaded_at?: string | null
        }
        Relationships: [
          {
            foreignKeyName: 'files_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'files_created_by_fkey'
            columns: ['created_by']
            isOneToOne: false
            referencedRelation: 'profiles'
            referencedColumns: ['id']
          },
        ]
      }
      group_devices: {
        Row: {
          added_at: string
          company_id: string
          device_id: string
          device_key: string | null
          group_id: string
        }
        Insert: {
          added_at?: string
          company_id: string
          device_id: string
          device_key?: string | null
          group_id: string
        }
        Update: {
          added_at?: string
          company_id?: string
          device_id?: string
          device_key?: string | null
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
          by_rule: boolean | null
          chosen_by: string
          company_id: string
          created_at: string
          description: string | null
          device_count: number
          id: string
          name: string
          name_key: string | null
          rule: Json | null
          search: string | null
          updated_at: string
          version: number
        }
        Insert: {
          by_rule?: never
          chosen_by?: string
          company_id: string
          created_at?: string
          description?: string | null
          device_count?: number
          id?: string
          name: string
          name_key?: never
          rule?: Json | null
          search?: never
          updated_at?: string
          version?: number
        }
        Update: {
          by_rule?: never
          chosen_by?: string
          company_id?: string
          created_at?: string
          description?: string | null
          device_count?: number
          id?: string
          name?: string
          name_key?: never
          rule?: Json | null
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
      inbound_mails: {
        Row: {
          attachments: string | null
          attempts: number
          body: string | null
          company_id: string | null
          created_at: string
          decided_at: string | null
          decided_by: string | null
          error: string | null
          from_address: string | null
          from_name: string | null
          id: string
          is_approved: boolean
          message_id: string | null
          message_key: string
          next_attempt_at: string
          person_id: string | null
          reason: string | null
          search: string | null
          sender_check: string | null
          size: number
          source: string
          status: string
          subject: string | null
          ticket_id: string | null
          to_address: string | null
          updated_at: string
          version: number
        }
        Insert: {
          attachments?: string | null
          attempts?: number
          body?: string | null
          company_id?: string | null
          created_at?: string
          decided_at?: string | null
          decided_by?: string | null
          error?: string | null
          from_address?: string | null
          from_name?: string | null
          id?: string
          is_approved?: boolean
          message_id?: string | null
          message_key: string
          next_attempt_at?: string
          person_id?: string | null
          reason?: string | null
          search?: never
          sender_check?: string | null
          size: number
          source: string
          status?: string
          subject?: string | null
          ticket_id?: string | null
          to_address?: string | null
          updated_at?: string
          version?: number
        }
        Update: {
          attachments?: string | null
          attempts?: number
          body?: string | null
          company_id?: string | null
          created_at?: string
          decided_at?: string | null
          decided_by?: string | null
          error?: string | null
          from_address?: string | null
          from_name?: string | null
          id?: string
          is_approved?: boolean
          message_id?: string | null
          message_key?: string
          next_attempt_at?: string
          person_id?: string | null
          reason?: string | null
          search?: never
          sender_check?: string | null
          size?: number
          source?: string
          status?: string
          subject?: string | null
          ticket_id?: string | null
          to_address?: string | null
          updated_at?: string
          version?: number
        }
        Relationships: [
          {
            foreignKeyName: 'inbound_mails_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'inbound_mails_company_id_ticket_id_fkey'
            columns: ['company_id', 'ticket_id']
            isOneToOne: false
            referencedRelation: 'tickets'
            referencedColumns: ['company_id', 'id']
          },
          {
            foreignKeyName: 'inbound_mails_decided_by_fkey'
            columns: ['decided_by']
            isOneToOne: false
            referencedRelation: 'profiles'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'inbound_mails_person_id_fkey'
            columns: ['person_id']
            isOneToOne: false
            referencedRelation: 'profiles'
            referencedColumns: ['id']
          },
        ]
      }
      job_runs: {
        Row: {
          attempt: number
          automation_run_id: string | null
          cancel_requested_at: string | null
          claimed_at: string | null
          company_id: string
          created_at: string
          device_id: string
          device_key: string | null
          duration_seconds: number | null
          error: string | null
          exit_code: number | null
          finished_at: string | null
          id: string
          is_capped: boolean
          job_id: string
          lease_until: string | null
          output: string | null
          output_truncated: boolean
          procedure_id: string | null
          queued_at: string
          reported_at: string | null
          start_after: string | null
          started_at: string | null
          status: string
          updated_at: string
          version: number
          waits_for: string | null
        }
        Insert: {
          attempt?: number
          automation_run_id?: string | null
          cancel_requested_at?: string | null
          claimed_at?: string | null
          company_id: string
          created_at?: string
          device_id: string
          device_key?: string | null
          duration_seconds?: never
          error?: string | null
          exit_code?: number | null
          finished_at?: string | null
          id?: string
          is_capped?: boolean
          job_id: string
          lease_until?: string | null
          output?: string | null
          output_truncated?: boolean
          procedure_id?: string | null
          queued_at?: string
          reported_at?: string | null
          start_after?: string | null
          started_at?: string | null
          status?: string
          updated_at?: string
          version?: number
          waits_for?: string | null
        }
        Update: {
          attempt?: number
          automation_run_id?: string | null
          cancel_requested_at?: string | null
          claimed_at?: string | null
          company_id?: string
          created_at?: string
          device_id?: string
          device_key?: string | null
          duration_seconds?: never
          error?: string | null
          exit_code?: number | null
          finished_at?: string | null
          id?: string
          is_capped?: boolean
          job_id?: string
          lease_until?: string | null
          output?: string | null
          output_truncated?: boolean
          procedure_id?: string | null
          queued_at?: string
          reported_at?: string | null
          start_after?: string | null
          started_at?: string | null
          status?: string
          updated_at?: string
          version?: number
          waits_for?: string | null
        }
        Relationships: [
          {
            foreignKeyName: 'job_runs_company_id_automation_run_id_fkey'
            columns: ['company_id', 'automation_run_id']
            isOneToOne: false
            referencedRelation: 'automation_runs'
            referencedColumns: ['company_id', 'id']
          },
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
          automation_id: string | null
          canceled: number
          company_id: string
          created_at: string
          created_by: string | null
          due_at: string | null
          expires_at: string
          failed: number
          id: string
          kind: string
          left_full: number
          left_out: number
          max_running: number | null
          name: string
          name_key: string | null
          outcome: string
          parameters: Json
          platforms: string[] | null
          procedure_id: string | null
          procedure_version_id: string | null
          retry_of: string | null
          schedule_id: string | null
          script: string
          script_sha256: string
          script_type: string
          search: string | null
          secret_names: string[]
          status: string
          succeeded: number
          timeout_seconds: number
          total: number
          updated_at: string
          version: number
        }
        Insert: {
          automation_id?: string | null
          canceled?: number
          company_id: string
          created_at?: string
          created_by?: string | null
          due_at?: string | null
          expires_at: string
          failed?: number
          id?: string
          kind: string
          left_full?: number
          left_out?: number
          max_running?: number | null
          name: string
          name_key?: never
          outcome?: never
          parameters?: Json
          platforms?: string[] | null
          procedure_id?: string | null
          procedure_version_id?: string | null
          retry_of?: string | null
          schedule_id?: string | null
          script: string
          script_sha256: string
          script_type: string
          search?: never
          secret_names?: string[]
          status?: string
          succeeded?: number
          timeout_seconds: number
          total?: number
          updated_at?: string
          version?: number
        }
        Update: {
          automation_id?: string | null
          canceled?: number
          company_id?: string
          created_at?: string
          created_by?: string | null
          due_at?: string | null
          expires_at?: string
          failed?: number
          id?: string
          kind?: string
          left_full?: number
          left_out?: number
          max_running?: number | null
          name?: string
          name_key?: never
          outcome?: never
          parameters?: Json
          platforms?: string[] | null
          procedure_id?: string | null
          procedure_version_id?: string | null
          retry_of?: string | null
          schedule_id?: string | null
          script?: string
          script_sha256?: string
          script_type?: string
          search?: never
          secret_names?: string[]
          status?: string
          succeeded?: number
          timeout_seconds?: number
          total?: number
          updated_at?: string
          version?: number
        }
        Relationships: [
          {
            foreignKeyName: 'jobs_company_id_automation_id_fkey'
            columns: ['company_id', 'automation_id']
            isOneToOne: false
            referencedRelation: 'automations'
            referencedColumns: ['company_id', 'id']
          },
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
            foreignKeyName: 'jobs_company_id_schedule_id_fkey'
            columns: ['company_id', 'schedule_id']
            isOneToOne: false
            referencedRelation: 'scheduled_tasks'
            referencedColumns: ['company_id', 'id']
          },
          {
            foreignKeyName: 'jobs_created_by_fkey'
            columns: ['created_by']
            isOneToOne: false
            referencedRelation: 'profiles'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'jobs_retry_of_fkey'
            columns: ['company_id', 'retry_of']
            isOneToOne: false
            referencedRelation: 'jobs'
            referencedColumns: ['company_id', 'id']
          },
        ]
      }
      list_preferences: {
        Row: {
          columns: Json | null
          density: string
          resource: string
          updated_at: string
          user_id: string
        }
        Insert: {
          columns?: Json | null
          density?: string
          resource: string
          updated_at?: string
          user_id?: string
        }
        Update: {
          columns?: Json | null
          density?: string
          resource?: string
          updated_at?: string
          user_id?: string
        }
        Relationships: [
          {
            foreignKeyName: 'list_preferences_user_id_fkey'
            columns: ['user_id']
            isOneToOne: false
            referencedRelation: 'profiles'
            referencedColumns: ['id']
          },
        ]
      }
      mail_addresses: {
        Row: {
          address: string
          category_id: string | null
          company_id: string
          created_at: string
          id: string
          name_key: string | null
          search: string | null
          updated_at: string
          version: number
        }
        Insert: {
          address: string
          category_id?: string | null
          company_id: string
          created_at?: string
          id?: string
          name_key?: never
          search?: never
          updated_at?: string
          version?: number
        }
        Update: {
          address?: string
          category_id?: string | null
          company_id?: string
          created_at?: string
          id?: string
          name_key?: never
          search?: never
          updated_at?: string
          version?: number
        }
        Relationships: [
          {
            foreignKeyName: 'mail_addresses_company_id_category_id_fkey'
            columns: ['company_id', 'category_id']
            isOneToOne: false
            referencedRelation: 'ticket_categories'
            referencedColumns: ['company_id', 'id']
          },
          {
            foreignKeyName: 'mail_addresses_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
        ]
      }
      monitor_groups: {
        Row: {
          company_id: string
          group_id: string
          monitor_id: string
        }
        Insert: {
          company_id: string
          group_id: string
          monitor_id: string
        }
        Update: {
          company_id?: string
          group_id?: string
          monitor_id?: string
        }
        Relationships: [
          {
            foreignKeyName: 'monitor_groups_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'monitor_groups_company_id_group_id_fkey'
            columns: ['company_id', 'group_id']
            isOneToOne: false
            referencedRelation: 'groups'
            referencedColumns: ['company_id', 'id']
          },
          {
            foreignKeyName: 'monitor_groups_company_id_monitor_id_fkey'
            columns: ['company_id', 'monitor_id']
            isOneToOne: false
            referencedRelation: 'monitors'
            referencedColumns: ['company_id', 'id']
          },
        ]
      }
      monitor_states: {
        Row: {
          changed_at: string | null
          company_id: string
          created_at: string
          device_id: string | null
          id: string
          message: string | null
          monitor_id: string | null
          reopen_at: string | null
          search: string | null
          state: string | null
          suppressed: boolean
          updated_at: string
          version: number
        }
        Insert: {
          changed_at?: string | null
          company_id: string
          created_at?: string
          device_id?: string | null
          id?: string
          message?: string | null
          monitor_id?: string | null
          reopen_at?: string | null
          search?: never
          state?: string | null
          suppressed?: boolean
          updated_at?: string
          version?: number
        }
        Update: {
          changed_at?: string | null
          company_id?: string
          created_at?: string
          device_id?: string | null
          id?: string
          message?: string | null
          monitor_id?: string | null
          reopen_at?: string | null
          search?: never
          state?: string | null
          suppressed?: boolean
          updated_at?: string
          version?: number
        }
        Relationships: [
          {
            foreignKeyName: 'monitor_states_company_id_device_id_fkey'
            columns: ['company_id', 'device_id']
            isOneToOne: false
            referencedRelation: 'devices'
            referencedColumns: ['company_id', 'id']
          },
          {
            foreignKeyName: 'monitor_states_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'monitor_states_company_id_monitor_id_fkey'
            columns: ['company_id', 'monitor_id']
            isOneToOne: false
            referencedRelation: 'monitors'
            referencedColumns: ['company_id', 'id']
          },
        ]
      }
      monitors: {
        Row: {
          above_percent: number | null
          auto_resolve: boolean
          check_interval: number | null
          company_id: string
          cooldown_minutes: number
          created_at: string
          description: string | null
          enabled: boolean
          event_count: number | null
          event_id: number | null
          event_minutes: number | null
          health: string
          id: string
          is_active: boolean
          last_check_at: string | null
          log_name: string | null
          metric: string | null
          name: string
          name_key: string | null
          notify_role: string | null
          offline_minutes: number | null
          open_ticket: boolean
          paused_for: string | null
          platforms: string[]
          probe: string | null
          procedure_id: string | null
          process_name: string | null
          process_state: string | null
          repeat_count: number | null
          restart: boolean
          search: string | null
          service_name: string | null
          set_by: string | null
          set_by_operator: boolean
          settings: Json
          severity: string
          target: string | null
          threshold: string | null
          ticket_answers: Json
          ticket_assignee_id: string | null
          ticket_category_id: string | null
          ticket_priority: string | null
          type: string
          updated_at: string
          version: number
        }
        Insert: {
          above_percent?: number | null
          auto_resolve?: boolean
          check_interval?: number | null
          company_id: string
          cooldown_minutes?: number
          created_at?: string
          description?: string | null
          enabled?: boolean
          event_count?: number | null
          event_id?: number | null
          event_minutes?: number | null
          health?: string
          id?: string
          is_active?: boolean
          last_check_at?: string | null
          log_name?: string | null
          metric?: string | null
          name: string
          name_key?: never
          notify_role?: string | null
          offline_minutes?: number | null
          open_ticket?: boolean
          paused_for?: string | null
          platforms?: string[]
          probe?: string | null
          procedure_id?: string | null
          process_name?: string | null
          process_state?: string | null
          repeat_count?: number | null
          restart?: boolean
          search?: never
          service_name?: string | null
          set_by?: string | null
          set_by_operator?: boolean
          settings?: Json
          severity?: string
          target?: string | null
          threshold?: string | null
          ticket_answers?: Json
          ticket_assignee_id?: string | null
          ticket_category_id?: string | null
          ticket_priority?: string | null
          type?: string
          updated_at?: string
          version?: number
        }
        Update: {
          above_percent?: number | null
          auto_resolve?: boolean
          check_interval?: number | null
          company_id?: string
          cooldown_minutes?: number
          created_at?: string
          description?: string | null
          enabled?: boolean
          event_count?: number | null
          event_id?: number | null
          event_minutes?: number | null
          health?: string
          id?: string
          is_active?: boolean
          last_check_at?: string | null
          log_name?: string | null
          metric?: string | null
          name?: string
          name_key?: never
          notify_role?: string | null
          offline_minutes?: number | null
          open_ticket?: boolean
          paused_for?: string | null
          platforms?: string[]
          probe?: string | null
          procedure_id?: string | null
          process_name?: string | null
          process_state?: string | null
          repeat_count?: number | null
          restart?: boolean
          search?: never
          service_name?: string | null
          set_by?: string | null
          set_by_operator?: boolean
          settings?: Json
          severity?: string
          target?: string | null
          threshold?: string | null
          ticket_answers?: Json
          ticket_assignee_id?: string | null
          ticket_category_id?: string | null
          ticket_priority?: string | null
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
          {
            foreignKeyName: 'monitors_company_id_procedure_id_fkey'
            columns: ['company_id', 'procedure_id']
            isOneToOne: false
            referencedRelation: 'procedures'
            referencedColumns: ['company_id', 'id']
          },
          {
            foreignKeyName: 'monitors_set_by_fkey'
            columns: ['set_by']
            isOneToOne: false
            referencedRelation: 'profiles'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'monitors_ticket_assignee_id_fkey'
            columns: ['ticket_assignee_id']
            isOneToOne: false
            referencedRelation: 'profiles'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'monitors_ticket_category_id_fkey'
            columns: ['company_id', 'ticket_category_id']
            isOneToOne: false
            referencedRelation: 'ticket_categories'
            referencedColumns: ['company_id', 'id']
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
      patch_exceptions: {
        Row: {
          approval: string
          company_id: string
          created_at: string
          deferred_until: string | null
          device_id: string | null
          group_id: string | null
          id: string
          notes: string | null
          patch_id: string
          scope: string
          updated_at: string
          version: number
        }
        Insert: {
          approval?: string
          company_id: string
          created_at?: string
          deferred_until?: string | null
          device_id?: string | null
          group_id?: string | null
          id?: string
          notes?: string | null
          patch_id: string
          scope?: string
          updated_at?: string
          version?: number
        }
        Update: {
          approval?: string
          company_id?: string
          created_at?: string
          deferred_until?: string | null
          device_id?: string | null
          group_id?: string | null
          id?: string
          notes?: string | null
          patch_id?: string
          scope?: string
          updated_at?: string
          version?: number
        }
        Relationships: [
          {
            foreignKeyName: 'patch_exceptions_company_id_device_id_fkey'
            columns: ['company_id', 'device_id']
            isOneToOne: false
            referencedRelation: 'devices'
            referencedColumns: ['company_id', 'id']
          },
          {
            foreignKeyName: 'patch_exceptions_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'patch_exceptions_company_id_group_id_fkey'
            columns: ['company_id', 'group_id']
            isOneToOne: false
            referencedRelation: 'groups'
            referencedColumns: ['company_id', 'id']
          },
          {
            foreignKeyName: 'patch_exceptions_company_id_patch_id_fkey'
            columns: ['company_id', 'patch_id']
            isOneToOne: false
            referencedRelation: 'patches'
            referencedColumns: ['company_id', 'id']
          },
        ]
      }
      patches: {
        Row: {
          approval: string
          category: string
          company_id: string
          created_at: string
          deferred_until: string | null
          id: string
          kb_number: string
          notes: string | null
          release_date: string | null
          reported_by: string | null
          search: string | null
          severity: string
          size_mb: number | null
          superseded: boolean
          title: string
          title_key: string | null
          updated_at: string
          version: number
        }
        Insert: {
          approval?: string
          category?: string
          company_id: string
          created_at?: string
          deferred_until?: string | null
          id?: string
          kb_number?: string
          notes?: string | null
          release_date?: string | null
          reported_by?: string | null
          search?: never
          severity?: string
          size_mb?: number | null
          superseded?: boolean
          title: string
          title_key?: never
          updated_at?: string
          version?: number
        }
        Update: {
          approval?: string
          category?: string
          company_id?: string
          created_at?: string
          deferred_until?: string | null
          id?: string
          kb_number?: string
          notes?: string | null
          release_date?: string | null
          reported_by?: string | null
          search?: never
          severity?: string
          size_mb?: number | null
          superseded?: boolean
          title?: string
          title_key?: never
          updated_at?: string
          version?: number
        }
        Relationships: [
          {
            foreignKeyName: 'patches_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'patches_reported_by_fkey'
            columns: ['company_id', 'reported_by']
            isOneToOne: false
            referencedRelation: 'devices'
            referencedColumns: ['company_id', 'id']
          },
        ]
      }
      policies: {
        Row: {
          agent_update_days: number | null
          agent_updates: string | null
          approve_after_days: number | null
          approve_severities: string[]
          check_in_seconds: number | null
          company_id: string
          created_at: string
          created_by: string | null
          denied: string[]
          denies_values: boolean
          description: string | null
          enabled: boolean
          id: string
          kind: string
          name: string
          name_key: string | null
          needs_approval: boolean
          paused_for: string | null
          position: number
          promote_after_days: number | null
          promote_min_devices: number | null
          promote_success_percent: number | null
          reboot: string | null
          reboot_from: string | null
          reboot_to: string | null
          reboot_weekdays: string[]
          ring: number | null
          search: string | null
          set_by: string | null
          set_by_operator: boolean
          timezone: string | null
          updated_at: string
          version: number
          window_from: string | null
          window_to: string | null
          window_weekdays: string[]
        }
        Insert: {
          agent_update_days?: number | null
          agent_updates?: string | null
          approve_after_days?: number | null
          approve_severities?: string[]
          check_in_seconds?: number | null
          company_id: string
          created_at?: string
          created_by?: string | null
          denied?: string[]
          denies_values?: boolean
          description?: string | null
          enabled?: boolean
          id?: string
          kind?: string
          name: string
          name_key?: never
          needs_approval?: boolean
          paused_for?: string | null
          position?: number
          promote_after_days?: number | null
          promote_min_devices?: number | null
          promote_success_percent?: number | null
          reboot?: string | null
          reboot_from?: string | null
          reboot_to?: string | null
          reboot_weekdays?: string[]
          ring?: number | null
          search?: never
          set_by?: string | null
          set_by_operator?: boolean
          timezone?: string | null
          updated_at?: string
          version?: number
          window_from?: string | null
          window_to?: string | null
          window_weekdays?: string[]
        }
        Update: {
          agent_update_days?: number | null
          agent_updates?: string | null
          approve_after_days?: number | null
          approve_severities?: string[]
          check_in_seconds?: number | null
          company_id?: string
          created_at?: string
          created_by?: string | null
          denied?: string[]
          denies_values?: boolean
          description?: string | null
          enabled?: boolean
          id?: string
          kind?: string
          name?: string
          name_key?: never
          needs_approval?: boolean
          paused_for?: string | null
          position?: number
          promote_after_days?: number | null
          promote_min_devices?: number | null
          promote_success_percent?: number | null
          reboot?: string | null
          reboot_from?: string | null
          reboot_to?: string | null
          reboot_weekdays?: string[]
          ring?: number | null
          search?: never
          set_by?: string | null
          set_by_operator?: boolean
          timezone?: string | null
          updated_at?: string
          version?: number
          window_from?: string | null
          window_to?: string | null
          window_weekdays?: string[]
        }
        Relationships: [
          {
            foreignKeyName: 'policies_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'policies_created_by_fkey'
            columns: ['created_by']
            isOneToOne: false
            referencedRelation: 'profiles'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'policies_set_by_fkey'
            columns: ['set_by']
            isOneToOne: false
            referencedRelation: 'profiles'
            referencedColumns: ['id']
          },
        ]
      }
      policy_groups: {
        Row: {
          added_at: string
          company_id: string
          group_id: string
          policy_id: string
        }
        Insert: {
          added_at?: string
          company_id: string
          group_id: string
          policy_id: string
        }
        Update: {
          added_at?: string
          company_id?: string
          group_id?: string
          policy_id?: string
        }
        Relationships: [
          {
            foreignKeyName: 'policy_groups_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'policy_groups_company_id_group_id_fkey'
            columns: ['company_id', 'group_id']
            isOneToOne: false
            referencedRelation: 'groups'
            referencedColumns: ['company_id', 'id']
          },
          {
            foreignKeyName: 'policy_groups_company_id_policy_id_fkey'
            columns: ['company_id', 'policy_id']
            isOneToOne: false
            referencedRelation: 'policies'
            referencedColumns: ['company_id', 'id']
          },
        ]
      }
      procedure_favorites: {
        Row: {
          company_id: string
          created_at: string
          procedure_id: string
          user_id: string
        }
        Insert: {
          company_id: string
          created_at?: string
          procedure_id: string
          user_id?: string
        }
        Update: {
          company_id?: string
          created_at?: string
          procedure_id?: string
          user_id?: string
        }
        Relationships: [
          {
            foreignKeyName: 'procedure_favorites_company_id_procedure_id_fkey'
            columns: ['company_id', 'procedure_id']
            isOneToOne: false
            referencedRelation: 'procedures'
            referencedColumns: ['company_id', 'id']
          },
          {
            foreignKeyName: 'procedure_favorites_user_id_fkey'
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
      procedure_stats: {
        Row: {
          company_id: string
          last_run_at: string | null
          procedure_id: string
          runs: number
          succeeded: number
          success_percent: number | null
        }
        Insert: {
          company_id: string
          last_run_at?: string | null
          procedure_id: string
          runs?: number
          succeeded?: number
          success_percent?: never
        }
        Update: {
          company_id?: string
          last_run_at?: string | null
          procedure_id?: string
          runs?: number
          succeeded?: number
          success_percent?: never
        }
        Relationships: [
          {
            foreignKeyName: 'procedure_stats_company_id_procedure_id_fkey'
            columns: ['company_id', 'procedure_id']
            isOneToOne: true
            referencedRelation: 'procedures'
            referencedColumns: ['company_id', 'id']
          },
        ]
      }
      procedure_versions: {
        Row: {
          approved_at: string | null
          approved_by: string | null
          approved_name: string | null
          company_id: string
          created_at: string
          created_by: string | null
          decline_reason: string | null
          declined_at: string | null
          declined_by: string | null
          declined_name: string | null
          id: string
          number: number
          parameters: Json
          platforms: string[]
          procedure_id: string
          script: string
          timeout_seconds: number
          type: string
          updated_at: string
          version: number
        }
        Insert: {
          approved_at?: string | null
          approved_by?: string | null
          approved_name?: string | null
          company_id: string
          created_at?: string
          created_by?: string | null
          decline_reason?: string | null
          declined_at?: string | null
          declined_by?: string | null
          declined_name?: string | null
          id?: string
          number: number
          parameters: Json
          platforms: string[]
          procedure_id: string
          script: string
          timeout_seconds: number
          type: string
          updated_at?: string
          version?: number
        }
        Update: {
          approved_at?: string | null
          approved_by?: string | null
          approved_name?: string | null
          company_id?: string
          created_at?: string
          created_by?: string | null
          decline_reason?: string | null
          declined_at?: string | null
          declined_by?: string | null
          declined_name?: string | null
          id?: string
          number?: number
          parameters?: Json
          platforms?: string[]
          procedure_id?: string
          script?: string
          timeout_seconds?: number
          type?: string
          updated_at?: string
          version?: number
        }
        Relationships: [
          {
            foreignKeyName: 'procedure_versions_approved_by_fkey'
            columns: ['approved_by']
            isOneToOne: false
            referencedRelation: 'profiles'
            referencedColumns: ['id']
          },
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
          {
            foreignKeyName: 'procedure_versions_declined_by_fkey'
            columns: ['declined_by']
            isOneToOne: false
            referencedRelation: 'profiles'
            referencedColumns: ['id']
          },
        ]
      }
      procedures: {
        Row: {
          approved_at: string | null
          approved_name: string | null
          approved_revision: number | null
          category: string | null
          company_id: string
          created_at: string
          created_by: string | null
          decline_reason: string | null
          declined_at: string | null
          declined_name: string | null
          description: string | null
          id: string
          is_approved: boolean | null
          name: string
          name_key: string | null
          parameters: Json
          platforms: string[]
          revision: number
          script: string
          search: string | null
          timeout_seconds: number
          type: string
          updated_at: string
          version: number
          waiting_since: string | null
        }
        Insert: {
          approved_at?: string | null
          approved_name?: string | null
          approved_revision?: number | null
          category?: string | null
          company_id: string
          created_at?: string
          created_by?: string | null
          decline_reason?: string | null
          declined_at?: string | null
          declined_name?: string | null
          description?: string | null
          id?: string
          is_approved?: never
          name: string
          name_key?: never
          parameters?: Json
          platforms?: string[]
          revision?: number
          script: string
          search?: never
          timeout_seconds?: number
          type?: string
          updated_at?: string
          version?: number
          waiting_since?: string | null
        }
        Update: {
          approved_at?: string | null
          approved_name?: string | null
          approved_revision?: number | null
          category?: string | null
          company_id?: string
          created_at?: string
          created_by?: string | null
          decline_reason?: string | null
          declined_at?: string | null
          declined_name?: string | null
          description?: string | null
          id?: string
          is_approved?: never
          name?: string
          name_key?: never
          parameters?: Json
          platforms?: string[]
          revision?: number
          script?: string
          search?: never
          timeout_seconds?: number
          type?: string
          updated_at?: string
          version?: number
          waiting_since?: string | null
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
          is_deactivated: boolean
          name: string
          name_key: string | null
          search: string | null
          updated_at: string
        }
        Insert: {
          created_at?: string
          email: string
          id: string
          is_deactivated?: boolean
          name: string
          name_key?: never
          search?: never
          updated_at?: string
        }
        Update: {
          created_at?: string
          email?: string
          id?: string
          is_deactivated?: boolean
          name?: string
          name_key?: never
          search?: never
          updated_at?: string
        }
        Relationships: []
      }
      remote_links: {
        Row: {
          company_id: string
          created_at: string
          id: string
          name: string
          name_key: string | null
          platform: string | null
          search: string | null
          template: string
          updated_at: string
          version: number
        }
        Insert: {
          company_id: string
          created_at?: string
          id?: string
          name: string
          name_key?: never
          platform?: string | null
          search?: never
          template: string
          updated_at?: string
          version?: number
        }
        Update: {
          company_id?: string
          created_at?: string
          id?: string
          name?: string
          name_key?: never
          platform?: string | null
          search?: never
          template?: string
          updated_at?: string
          version?: number
        }
        Relationships: [
          {
            foreignKeyName: 'remote_links_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
        ]
      }
      saved_commands: {
        Row: {
          command: string
          company_id: string
          created_at: string
          deleted_at: string | null
          deleted_by: string | null
          deleted_name: string | null
          id: string
          name: string
          name_key: string | null
          platforms: string[]
          search: string | null
          timeout_seconds: number
          type: string
          updated_at: string
          version: number
        }
        Insert: {
          command: string
          company_id: string
          created_at?: string
          deleted_at?: string | null
          deleted_by?: string | null
          deleted_name?: string | null
          id?: string
          name: string
          name_key?: never
          platforms?: string[]
          search?: never
          timeout_seconds?: number
          type?: string
          updated_at?: string
          version?: number
        }
        Update: {
          command?: string
          company_id?: string
          created_at?: string
          deleted_at?: string | null
          deleted_by?: string | null
          deleted_name?: string | null
          id?: string
          name?: string
          name_key?: never
          platforms?: string[]
          search?: never
          timeout_seconds?: number
          type?: string
          updated_at?: string
          version?: number
        }
        Relationships: [
          {
            foreignKeyName: 'saved_commands_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
        ]
      }
      saved_views: {
        Row: {
          company_id: string | null
          created_at: string
          id: string
          is_default: boolean
          name: string
          owner: string
          resource: string
          role: string | null
          scope: string
          state: Json
          updated_at: string
          version: number
        }
        Insert: {
          company_id?: string | null
          created_at?: string
          id?: string
          is_default?: boolean
          name: string
          owner?: string
          resource: string
          role?: string | null
          scope?: string
          state?: Json
          updated_at?: string
          version?: number
        }
        Update: {
          company_id?: string | null
          created_at?: string
          id?: string
          is_default?: boolean
          name?: string
          owner?: string
          resource?: string
          role?: string | null
          scope?: string
          state?: Json
          updated_at?: string
          version?: number
        }
        Relationships: [
          {
            foreignKeyName: 'saved_views_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'saved_views_owner_fkey'
            columns: ['owner']
            isOneToOne: false
            referencedRelation: 'profiles'
            referencedColumns: ['id']
          },
        ]
      }
      scheduled_tasks: {
        Row: {
          company_id: string
          created_at: string
          created_by: string | null
          device_id: string | null
          device_time: boolean
          enabled: boolean
          every_minutes: number | null
          frequency: string
          group_id: string | null
          id: string
          last_error: string | null
          last_run_at: string | null
          max_running: number | null
          missed_run: string
          month_day: number | null
          month_week: string | null
          month_weekday: string | null
          name: string
          name_key: string | null
          next_run_at: string | null
          paused_for: string | null
          procedure_id: string
          random_delay_minutes: number
          search: string | null
          set_at: string
          set_by: string | null
          set_by_operator: boolean
          starts_at: string
          state: string | null
          target: Json
          target_kind: string
          time_of_day: string | null
          timezone: string
          updated_at: string
          version: number
          weekdays: string[] | null
        }
        Insert: {
          company_id: string
          created_at?: string
          created_by?: string | null
          device_id?: string | null
          device_time?: boolean
          enabled?: boolean
          every_minutes?: number | null
          frequency?: string
          group_id?: string | null
          id?: string
          last_error?: string | null
          last_run_at?: string | null
          max_running?: number | null
          missed_run?: string
          month_day?: number | null
          month_week?: string | null
          month_weekday?: string | null
          name: string
          name_key?: never
          next_run_at?: string | null
          paused_for?: string | null
          procedure_id: string
          random_delay_minutes?: number
          search?: never
          set_at?: string
          set_by?: string | null
          set_by_operator?: boolean
          starts_at?: string
          state?: never
          target: Json
          target_kind?: string
          time_of_day?: string | null
          timezone?: string
          updated_at?: string
          version?: number
          weekdays?: string[] | null
        }
        Update: {
          company_id?: string
          created_at?: string
          created_by?: string | null
          device_id?: string | null
          device_time?: boolean
          enabled?: boolean
          every_minutes?: number | null
          frequency?: string
          group_id?: string | null
          id?: string
          last_error?: string | null
          last_run_at?: string | null
          max_running?: number | null
          missed_run?: string
          month_day?: number | null
          month_week?: string | null
          month_weekday?: string | null
          name?: string
          name_key?: never
          next_run_at?: string | null
          paused_for?: string | null
          procedure_id?: string
          random_delay_minutes?: number
          search?: never
          set_at?: string
          set_by?: string | null
          set_by_operator?: boolean
          starts_at?: string
          state?: never
          target?: Json
          target_kind?: string
          time_of_day?: string | null
          timezone?: string
          updated_at?: string
          version?: number
          weekdays?: string[] | null
        }
        Relationships: [
          {
            foreignKeyName: 'scheduled_tasks_company_id_device_id_fkey'
            columns: ['company_id', 'device_id']
            isOneToOne: false
            referencedRelation: 'devices'
            referencedColumns: ['company_id', 'id']
          },
          {
            foreignKeyName: 'scheduled_tasks_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'scheduled_tasks_company_id_group_id_fkey'
            columns: ['company_id', 'group_id']
            isOneToOne: false
            referencedRelation: 'groups'
            referencedColumns: ['company_id', 'id']
          },
          {
            foreignKeyName: 'scheduled_tasks_company_id_procedure_id_fkey'
            columns: ['company_id', 'procedure_id']
            isOneToOne: false
            referencedRelation: 'procedures'
            referencedColumns: ['company_id', 'id']
          },
          {
            foreignKeyName: 'scheduled_tasks_created_by_fkey'
            columns: ['created_by']
            isOneToOne: false
            referencedRelation: 'profiles'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'scheduled_tasks_set_by_fkey'
            columns: ['set_by']
            isOneToOne: false
            referencedRelation: 'profiles'
            referencedColumns: ['id']
          },
        ]
      }
      security_log: {
        Row: {
          actor_email: string | null
          actor_id: string | null
          at: string
          company_id: string | null
          details: Json
          event: string
          id: string
          ip_address: string | null
          last_at: string
          occurrences: number
          subject: string | null
          user_agent: string | null
        }
        Insert: {
          actor_email?: string | null
          actor_id?: string | null
          at?: string
          company_id?: string | null
          details?: Json
          event: string
          id?: string
          ip_address?: string | null
          last_at?: string
          occurrences?: number
          subject?: string | null
          user_agent?: string | null
        }
        Update: {
          actor_email?: string | null
          actor_id?: string | null
          at?: string
          company_id?: string | null
          details?: Json
          event?: string
          id?: string
          ip_address?: string | null
          last_at?: string
          occurrences?: number
          subject?: string | null
          user_agent?: string | null
        }
        Relationships: []
      }
      sla_policies: {
        Row: {
          calendar_id: string | null
          category_id: string | null
          company_id: string
          created_at: string
          enabled: boolean
          id: string
          name: string
          name_key: string | null
          position: number
          search: string | null
          targets: Json
          updated_at: string
          version: number
        }
        Insert: {
          calendar_id?: string | null
          category_id?: string | null
          company_id: string
          created_at?: string
          enabled?: boolean
          id?: string
          name: string
          name_key?: never
          position?: number
          search?: never
          targets?: Json
          updated_at?: string
          version?: number
        }
        Update: {
          calendar_id?: string | null
          category_id?: string | null
          company_id?: string
          created_at?: string
          enabled?: boolean
          id?: string
          name?: string
          name_key?: never
          position?: number
          search?: never
          targets?: Json
          updated_at?: string
          version?: number
        }
        Relationships: [
          {
            foreignKeyName: 'sla_policies_company_id_calendar_id_fkey'
            columns: ['company_id', 'calendar_id']
            isOneToOne: false
            referencedRelation: 'business_calendars'
            referencedColumns: ['company_id', 'id']
          },
          {
            foreignKeyName: 'sla_policies_company_id_category_id_fkey'
            columns: ['company_id', 'category_id']
            isOneToOne: false
            referencedRelation: 'ticket_categories'
            referencedColumns: ['company_id', 'id']
          },
          {
            foreignKeyName: 'sla_policies_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
        ]
      }
      software: {
        Row: {
          company_id: string
          created_at: string
          devices: number
          gone_at: string | null
          id: string
          name: string
          name_key: string | null
          newest_version: string | null
          outdated: number
          publisher: string
          recent_changes: number
          search: string | null
          versions: number
        }
        Insert: {
          company_id: string
          created_at?: string
          devices?: number
          gone_at?: string | null
          id?: string
          name: string
          name_key?: never
          newest_version?: string | null
          outdated?: number
          publisher?: string
          recent_changes?: number
          search?: never
          versions?: number
        }
        Update: {
          company_id?: string
          created_at?: string
          devices?: number
          gone_at?: string | null
          id?: string
          name?: string
          name_key?: never
          newest_version?: string | null
          outdated?: number
          publisher?: string
          recent_changes?: number
          search?: never
          versions?: number
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
      software_changes: {
        Row: {
          change: string
          changed_at: string
          company_id: string
          created_at: string
          device_id: string
          id: string
          new_version: string | null
          previous_version: string | null
          software_id: string
          updated_at: string
        }
        Insert: {
          change: string
          changed_at?: string
          company_id: string
          created_at?: string
          device_id: string
          id?: string
          new_version?: string | null
          previous_version?: string | null
          software_id: string
          updated_at?: string
        }
        Update: {
          change?: string
          changed_at?: string
          company_id?: string
          created_at?: string
          device_id?: string
          id?: string
          new_version?: string | null
          previous_version?: string | null
          software_id?: string
          updated_at?: string
        }
        Relationships: [
          {
            foreignKeyName: 'software_changes_company_id_device_id_fkey'
            columns: ['company_id', 'device_id']
            isOneToOne: false
            referencedRelation: 'devices'
            referencedColumns: ['company_id', 'id']
          },
          {
            foreignKeyName: 'software_changes_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'software_changes_company_id_software_id_fkey'
            columns: ['company_id', 'software_id']
            isOneToOne: false
            referencedRelation: 'software'
            referencedColumns: ['company_id', 'id']
          },
        ]
      }
      software_license_titles: {
        Row: {
          company_id: string
          license_id: string
          software_id: string
        }
        Insert: {
          company_id: string
          license_id: string
          software_id: string
        }
        Update: {
          company_id?: string
          license_id?: string
          software_id?: string
        }
        Relationships: [
          {
            foreignKeyName: 'software_license_titles_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'software_license_titles_company_id_license_id_fkey'
            columns: ['company_id', 'license_id']
            isOneToOne: false
            referencedRelation: 'software_licenses'
            referencedColumns: ['company_id', 'id']
          },
          {
            foreignKeyName: 'software_license_titles_company_id_software_id_fkey'
            columns: ['company_id', 'software_id']
            isOneToOne: false
            referencedRelation: 'software'
            referencedColumns: ['company_id', 'id']
          },
        ]
      }
      software_licenses: {
        Row: {
          available: number | null
          company_id: string
          cost: number | null
          created_at: string
          created_by: string | null
          currency: string
          detected: number | null
          expires_on: string | null
          id: string
          match_rule: string | null
          name: string
          name_key: string | null
          notes: string | null
          publisher: string | null
          purchased_on: string | null
          remind_days: number
          search: string | null
          seats: number
          type: string
          unused_since: string | null
          updated_at: string
          version: number
        }
        Insert: {
          available?: never
          company_id: string
          cost?: number | null
          created_at?: string
          created_by?: string | null
          currency?: string
          detected?: number | null
          expires_on?: string | null
          id?: string
          match_rule?: string | null
          name: string
          name_key?: never
          notes?: string | null
          publisher?: string | null
          purchased_on?: string | null
          remind_days?: number
          search?: never
          seats?: number
          type?: string
          unused_since?: string | null
          updated_at?: string
          version?: number
        }
        Update: {
          available?: never
          company_id?: string
          cost?: number | null
          created_at?: string
          created_by?: string | null
          currency?: string
          detected?: number | null
          expires_on?: string | null
          id?: string
          match_rule?: string | null
          name?: string
          name_key?: never
          notes?: string | null
          publisher?: string | null
          purchased_on?: string | null
          remind_days?: number
          search?: never
          seats?: number
          type?: string
          unused_since?: string | null
          updated_at?: string
          version?: number
        }
        Relationships: [
          {
            foreignKeyName: 'software_licenses_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'software_licenses_created_by_fkey'
            columns: ['created_by']
            isOneToOne: false
            referencedRelation: 'profiles'
            referencedColumns: ['id']
          },
        ]
      }
      software_licenses_hidden_cost: {
        Row: {
          company_id: string
          cost: number | null
          id: string
        }
        Insert: {
          company_id: string
          cost?: number | null
          id: string
        }
        Update: {
          company_id?: string
          cost?: number | null
          id?: string
        }
        Relationships: [
          {
            foreignKeyName: 'software_licenses_hidden_cost_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'software_licenses_hidden_cost_company_id_id_fkey'
            columns: ['company_id', 'id']
            isOneToOne: true
            referencedRelation: 'software_licenses'
            referencedColumns: ['company_id', 'id']
          },
        ]
      }
      tags: {
        Row: {
          company_id: string
          created_at: string
          device_count: number
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
          device_count?: number
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
          device_count?: number
          id?: string
          name?: string
          name_key?: never
          search?: never
          updated_at?: string
          version?: number
        }
        Relationships: [
          {
            foreignKeyName: 'tags_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
        ]
      }
      ticket_approvals: {
        Row: {
          asked_at: string | null
          asked_by: string | null
          asked_by_name: string | null
          company_id: string
          created_at: string
          decided_at: string | null
          decided_by: string | null
          decided_by_name: string | null
          id: string
          note: string | null
          person_id: string | null
          person_name: string | null
          question: string | null
          resumes: boolean
          role: string | null
          status: string
          step: number
          ticket_id: string
          updated_at: string
          version: number
        }
        Insert: {
          asked_at?: string | null
          asked_by?: string | null
          asked_by_name?: string | null
          company_id: string
          created_at?: string
          decided_at?: string | null
          decided_by?: string | null
          decided_by_name?: string | null
          id?: string
          note?: string | null
          person_id?: string | null
          person_name?: string | null
          question?: string | null
          resumes?: boolean
          role?: string | null
          status?: string
          step: number
          ticket_id: string
          updated_at?: string
          version?: number
        }
        Update: {
          asked_at?: string | null
          asked_by?: string | null
          asked_by_name?: string | null
          company_id?: string
          created_at?: string
          decided_at?: string | null
          decided_by?: string | null
          decided_by_name?: string | null
          id?: string
          note?: string | null
          person_id?: string | null
          person_name?: string | null
          question?: string | null
          resumes?: boolean
          role?: string | null
          status?: string
          step?: number
          ticket_id?: string
          updated_at?: string
          version?: number
        }
        Relationships: [
          {
            foreignKeyName: 'ticket_approvals_asked_by_fkey'
            columns: ['asked_by']
            isOneToOne: false
            referencedRelation: 'profiles'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'ticket_approvals_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'ticket_approvals_decided_by_fkey'
            columns: ['decided_by']
            isOneToOne: false
            referencedRelation: 'profiles'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'ticket_approvals_person_id_fkey'
            columns: ['person_id']
            isOneToOne: false
            referencedRelation: 'profiles'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'ticket_approvals_ticket_id_fkey'
            columns: ['ticket_id', 'company_id']
            isOneToOne: false
            referencedRelation: 'tickets'
            referencedColumns: ['id', 'company_id']
          },
        ]
      }
      ticket_approvers: {
        Row: {
          company_id: string
          ticket_id: string
          user_id: string
        }
        Insert: {
          company_id: string
          ticket_id: string
          user_id: string
        }
        Update: {
          company_id?: string
          ticket_id?: string
          user_id?: string
        }
        Relationships: [
          {
            foreignKeyName: 'ticket_approvers_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'ticket_approvers_company_id_ticket_id_fkey'
            columns: ['company_id', 'ticket_id']
            isOneToOne: false
            referencedRelation: 'tickets'
            referencedColumns: ['company_id', 'id']
          },
          {
            foreignKeyName: 'ticket_approvers_user_id_fkey'
            columns: ['user_id']
            isOneToOne: false
            referencedRelation: 'profiles'
            referencedColumns: ['id']
          },
        ]
      }
      ticket_categories: {
        Row: {
          audience: string
          checklist: Json
          color: string
          company_id: string
          created_at: string
          description: string | null
          fields: Json
          icon: string | null
          id: string
          name: string
          name_key: string | null
          position: number
          search: string | null
          updated_at: string
          version: number
        }
        Insert: {
          audience?: string
          checklist?: Json
          color?: string
          company_id: string
          created_at?: string
          description?: string | null
          fields?: Json
          icon?: string | null
          id?: string
          name: string
          name_key?: never
          position?: number
          search?: never
          updated_at?: string
          version?: number
        }
        Update: {
          audience?: string
          checklist?: Json
          color?: string
          company_id?: string
          created_at?: string
          description?: string | null
          fields?: Json
          icon?: string | null
          id?: string
          name?: string
          name_key?: never
          position?: number
          search?: never
          updated_at?: string
          version?: number
        }
        Relationships: [
          {
            foreignKeyName: 'ticket_categories_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
        ]
      }
      ticket_checklist_items: {
        Row: {
          company_id: string
          created_at: string
          done: boolean
          done_at: string | null
          done_by: string | null
          done_by_name: string | null
          id: string
          position: number
          search: string | null
          text: string
          ticket_id: string
          updated_at: string
          version: number
        }
        Insert: {
          company_id: string
          created_at?: string
          done?: boolean
          done_at?: string | null
          done_by?: string | null
          done_by_name?: string | null
          id?: string
          position?: number
          search?: never
          text: string
          ticket_id: string
          updated_at?: string
          version?: number
        }
        Update: {
          company_id?: string
          created_at?: string
          done?: boolean
          done_at?: string | null
          done_by?: string | null
          done_by_name?: string | null
          id?: string
          position?: number
          search?: never
          text?: string
          ticket_id?: string
          updated_at?: string
          version?: number
        }
        Relationships: [
          {
            foreignKeyName: 'ticket_checklist_items_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'ticket_checklist_items_done_by_fkey'
            columns: ['done_by']
            isOneToOne: false
            referencedRelation: 'profiles'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'ticket_checklist_items_ticket_id_fkey'
            columns: ['ticket_id', 'company_id']
            isOneToOne: false
            referencedRelation: 'tickets'
            referencedColumns: ['id', 'company_id']
          },
        ]
      }
      ticket_comments: {
        Row: {
          author_id: string | null
          author_name: string | null
          body: string
          company_id: string
          created_at: string
          edited_at: string | null
          id: string
          kind: string
          mentions: string[]
          once_key: string | null
          origin: string | null
          search: string | null
          ticket_id: string
          version: number
        }
        Insert: {
          author_id?: string | null
          author_name?: string | null
          body: string
          company_id: string
          created_at?: string
          edited_at?: string | null
          id?: string
          kind?: string
          mentions?: string[]
          once_key?: string | null
          origin?: string | null
          search?: never
          ticket_id: string
          version?: number
        }
        Update: {
          author_id?: string | null
          author_name?: string | null
          body?: string
          company_id?: string
          created_at?: string
          edited_at?: string | null
          id?: string
          kind?: string
          mentions?: string[]
          once_key?: string | null
          origin?: string | null
          search?: never
          ticket_id?: string
          version?: number
        }
        Relationships: [
          {
            foreignKeyName: 'ticket_comments_author_id_fkey'
            columns: ['author_id']
            isOneToOne: false
            referencedRelation: 'profiles'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'ticket_comments_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'ticket_comments_company_id_ticket_id_fkey'
            columns: ['company_id', 'ticket_id']
            isOneToOne: false
            referencedRelation: 'tickets'
            referencedColumns: ['company_id', 'id']
          },
        ]
      }
      ticket_issues: {
        Row: {
          category_id: string
          company_id: string
          created_at: string
          description: string | null
          id: string
          name: string
          name_key: string | null
          priority: string
          search: string | null
          updated_at: string
          version: number
        }
        Insert: {
          category_id: string
          company_id: string
          created_at?: string
          description?: string | null
          id?: string
          name: string
          name_key?: never
          priority?: string
          search?: never
          updated_at?: string
          version?: number
        }
        Update: {
          category_id?: string
          company_id?: string
          created_at?: string
          description?: string | null
          id?: string
          name?: string
          name_key?: never
          priority?: string
          search?: never
          updated_at?: string
          version?: number
        }
        Relationships: [
          {
            foreignKeyName: 'ticket_issues_company_id_category_id_fkey'
            columns: ['company_id', 'category_id']
            isOneToOne: false
            referencedRelation: 'ticket_categories'
            referencedColumns: ['company_id', 'id']
          },
          {
            foreignKeyName: 'ticket_issues_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
        ]
      }
      ticket_jobs: {
        Row: {
          company_id: string
          created_at: string
          job_id: string
          ticket_id: string
        }
        Insert: {
          company_id: string
          created_at?: string
          job_id: string
          ticket_id: string
        }
        Update: {
          company_id?: string
          created_at?: string
          job_id?: string
          ticket_id?: string
        }
        Relationships: [
          {
            foreignKeyName: 'ticket_jobs_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'ticket_jobs_company_id_job_id_fkey'
            columns: ['company_id', 'job_id']
            isOneToOne: false
            referencedRelation: 'jobs'
            referencedColumns: ['company_id', 'id']
          },
          {
            foreignKeyName: 'ticket_jobs_company_id_ticket_id_fkey'
            columns: ['company_id', 'ticket_id']
            isOneToOne: false
            referencedRelation: 'tickets'
            referencedColumns: ['company_id', 'id']
          },
        ]
      }
      ticket_links: {
        Row: {
          company_id: string
          created_at: string
          id: string
          kind: string
          other_id: string
          ticket_id: string
          updated_at: string
          version: number
        }
        Insert: {
          company_id: string
          created_at?: string
          id?: string
          kind?: string
          other_id: string
          ticket_id: string
          updated_at?: string
          version?: number
        }
        Update: {
          company_id?: string
          created_at?: string
          id?: string
          kind?: string
          other_id?: string
          ticket_id?: string
          updated_at?: string
          version?: number
        }
        Relationships: [
          {
            foreignKeyName: 'ticket_links_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'ticket_links_other_id_fkey'
            columns: ['other_id', 'company_id']
            isOneToOne: false
            referencedRelation: 'tickets'
            referencedColumns: ['id', 'company_id']
          },
          {
            foreignKeyName: 'ticket_links_ticket_id_fkey'
            columns: ['ticket_id', 'company_id']
            isOneToOne: false
            referencedRelation: 'tickets'
            referencedColumns: ['id', 'company_id']
          },
        ]
      }
      ticket_statuses: {
        Row: {
          color: string
          company_id: string
          created_at: string
          id: string
          is_default: boolean
          kind: string
          name: string
          name_key: string | null
          position: number
          search: string | null
          updated_at: string
          version: number
        }
        Insert: {
          color?: string
          company_id: string
          created_at?: string
          id?: string
          is_default?: boolean
          kind: string
          name: string
          name_key?: never
          position: number
          search?: never
          updated_at?: string
          version?: number
        }
        Update: {
          color?: string
          company_id?: string
          created_at?: string
          id?: string
          is_default?: boolean
          kind?: string
          name?: string
          name_key?: never
          position?: number
          search?: never
          updated_at?: string
          version?: number
        }
        Relationships: [
          {
            foreignKeyName: 'ticket_statuses_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
        ]
      }
      ticket_tags: {
        Row: {
          company_id: string
          tag_id: string
          ticket_id: string
        }
        Insert: {
          company_id: string
          tag_id: string
          ticket_id: string
        }
        Update: {
          company_id?: string
          tag_id?: string
          ticket_id?: string
        }
        Relationships: [
          {
            foreignKeyName: 'ticket_tags_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'ticket_tags_company_id_tag_id_fkey'
            columns: ['company_id', 'tag_id']
            isOneToOne: false
            referencedRelation: 'tags'
            referencedColumns: ['company_id', 'id']
          },
          {
            foreignKeyName: 'ticket_tags_company_id_ticket_id_fkey'
            columns: ['company_id', 'ticket_id']
            isOneToOne: false
            referencedRelation: 'tickets'
            referencedColumns: ['company_id', 'id']
          },
        ]
      }
      ticket_watchers: {
        Row: {
          company_id: string
          ticket_id: string
          user_id: string
        }
        Insert: {
          company_id: string
          ticket_id: string
          user_id: string
        }
        Update: {
          company_id?: string
          ticket_id?: string
          user_id?: string
        }
        Relationships: [
          {
            foreignKeyName: 'ticket_watchers_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'ticket_watchers_company_id_ticket_id_fkey'
            columns: ['company_id', 'ticket_id']
            isOneToOne: false
            referencedRelation: 'tickets'
            referencedColumns: ['company_id', 'id']
          },
          {
            foreignKeyName: 'ticket_watchers_user_id_fkey'
            columns: ['user_id']
            isOneToOne: false
            referencedRelation: 'profiles'
            referencedColumns: ['id']
          },
        ]
      }
      tickets: {
        Row: {
          alert_id: string | null
          alert_message: string | null
          alert_note: string | null
          alert_resolved_at: string | null
          alert_table: string | null
          answers: Json
          assignee_id: string | null
          assignee_name: string | null
          assignment_note: string | null
          category_id: string | null
          checklist_done: number
          checklist_progress: string | null
          checklist_total: number
          company_id: string
          created_at: string
          created_by: string | null
          deleted_at: string | null
          deleted_by: string | null
          deleted_name: string | null
          description: string | null
          device_id: string | null
          due_at: string | null
          first_responded_at: string | null
          first_response_due_at: string | null
          id: string
          issue_id: string | null
          merge_state: string | null
          merged_into_id: string | null
          number: number
          open_approvals: number
          parent_id: string | null
          paused_at: string | null
          paused_seconds: number
          priority: string | null
          priority_rank: number | null
          rated_at: string | null
          rating: number | null
          rating_note: string | null
          repair_name: string | null
          repair_run_id: string | null
          repair_table: string | null
          requester_email: string | null
          requester_id: string | null
          requester_name: string | null
          resolved_at: string | null
          search: string | null
          sla_next_at: string | null
          sla_policy_id: string | null
          sla_state: string
          solution_due_at: string | null
          split_from_id: string | null
          status: string
          status_id: string | null
          subject: string
          subject_key: string | null
          subticket_count: number
          timer_started_at: string | null
          timer_state: string | null
          unfinished: string | null
          updated_at: string
          version: number
        }
        Insert: {
          alert_id?: string | null
          alert_message?: string | null
          alert_note?: string | null
          alert_resolved_at?: string | null
          alert_table?: never
          answers?: Json
          assignee_id?: string | null
          assignee_name?: string | null
          assignment_note?: string | null
          category_id?: string | null
          checklist_done?: number
          checklist_progress?: never
          checklist_total?: number
          company_id: string
          created_at?: string
          created_by?: string | null
          deleted_at?: string | null
          deleted_by?: string | null
          deleted_name?: string | null
          description?: string | null
          device_id?: string | null
          due_at?: string | null
          first_responded_at?: string | null
          first_response_due_at?: string | null
          id?: string
          issue_id?: string | null
          merge_state?: never
          merged_into_id?: string | null
          number: number
          open_approvals?: number
          parent_id?: string | null
          paused_at?: string | null
          paused_seconds?: number
          priority?: string | null
          priority_rank?: never
          rated_at?: string | null
          rating?: number | null
          rating_note?: string | null
          repair_name?: string | null
          repair_run_id?: string | null
          repair_table?: never
          requester_email?: string | null
          requester_id?: string | null
          requester_name?: string | null
          resolved_at?: string | null
          search?: string | null
          sla_next_at?: string | null
          sla_policy_id?: string | null
          sla_state?: string
          solution_due_at?: string | null
          split_from_id?: string | null
          status?: string
          status_id?: string | null
          subject: string
          subject_key?: never
          subticket_count?: number
          timer_started_at?: string | null
          timer_state?: never
          unfinished?: never
          updated_at?: string
          version?: number
        }
        Update: {
          alert_id?: string | null
          alert_message?: string | null
          alert_note?: string | null
          alert_resolved_at?: string | null
          alert_table?: never
          answers?: Json
          assignee_id?: string | null
          assignee_name?: string | null
          assignment_note?: string | null
          category_id?: string | null
          checklist_done?: number
          checklist_progress?: never
          checklist_total?: number
          company_id?: string
          created_at?: string
          created_by?: string | null
          deleted_at?: string | null
          deleted_by?: string | null
          deleted_name?: string | null
          description?: string | null
          device_id?: string | null
          due_at?: string | null
          first_responded_at?: string | null
          first_response_due_at?: string | null
          id?: string
          issue_id?: string | null
          merge_state?: never
          merged_into_id?: string | null
          number?: number
          open_approvals?: number
          parent_id?: string | null
          paused_at?: string | null
          paused_seconds?: number
          priority?: string | null
          priority_rank?: never
          rated_at?: string | null
          rating?: number | null
          rating_note?: string | null
          repair_name?: string | null
          repair_run_id?: string | null
          repair_table?: never
          requester_email?: string | null
          requester_id?: string | null
          requester_name?: string | null
          resolved_at?: string | null
          search?: string | null
          sla_next_at?: string | null
          sla_policy_id?: string | null
          sla_state?: string
          solution_due_at?: string | null
          split_from_id?: string | null
          status?: string
          status_id?: string | null
          subject?: string
          subject_key?: never
          subticket_count?: number
          timer_started_at?: string | null
          timer_state?: never
          unfinished?: never
          updated_at?: string
          version?: number
        }
        Relationships: [
          {
            foreignKeyName: 'tickets_assignee_id_fkey'
            columns: ['assignee_id']
            isOneToOne: false
            referencedRelation: 'profiles'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'tickets_company_id_category_id_fkey'
            columns: ['company_id', 'category_id']
            isOneToOne: false
            referencedRelation: 'ticket_categories'
            referencedColumns: ['company_id', 'id']
          },
          {
            foreignKeyName: 'tickets_company_id_device_id_fkey'
            columns: ['company_id', 'device_id']
            isOneToOne: false
            referencedRelation: 'devices'
            referencedColumns: ['company_id', 'id']
          },
          {
            foreignKeyName: 'tickets_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'tickets_created_by_fkey'
            columns: ['created_by']
            isOneToOne: false
            referencedRelation: 'profiles'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'tickets_issue_id_fkey'
            columns: ['company_id', 'category_id', 'issue_id']
            isOneToOne: false
            referencedRelation: 'ticket_issues'
            referencedColumns: ['company_id', 'category_id', 'id']
          },
          {
            foreignKeyName: 'tickets_merged_into_id_fkey'
            columns: ['merged_into_id', 'company_id']
            isOneToOne: false
            referencedRelation: 'tickets'
            referencedColumns: ['id', 'company_id']
          },
          {
            foreignKeyName: 'tickets_parent_id_fkey'
            columns: ['parent_id', 'company_id']
            isOneToOne: false
            referencedRelation: 'tickets'
            referencedColumns: ['id', 'company_id']
          },
          {
            foreignKeyName: 'tickets_requester_id_fkey'
            columns: ['requester_id']
            isOneToOne: false
            referencedRelation: 'profiles'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'tickets_split_from_id_fkey'
            columns: ['split_from_id', 'company_id']
            isOneToOne: false
            referencedRelation: 'tickets'
            referencedColumns: ['id', 'company_id']
          },
          {
            foreignKeyName: 'tickets_status_id_fkey'
            columns: ['company_id', 'status_id', 'status']
            isOneToOne: false
            referencedRelation: 'ticket_statuses'
            referencedColumns: ['company_id', 'id', 'kind']
          },
        ]
      }
      time_entries: {
        Row: {
          billable: boolean
          company_id: string
          created_at: string
          ended_at: string | null
          id: string
          is_long: boolean
          note: string | null
          seconds: number | null
          started_at: string
          ticket_id: string
          updated_at: string
          user_id: string
          user_name: string | null
          version: number
        }
        Insert: {
          billable?: boolean
          company_id: string
          created_at?: string
          ended_at?: string | null
          id?: string
          is_long?: boolean
          note?: string | null
          seconds?: never
          started_at?: string
          ticket_id: string
          updated_at?: string
          user_id?: string
          user_name?: string | null
          version?: number
        }
        Update: {
          billable?: boolean
          company_id?: string
          created_at?: string
          ended_at?: string | null
          id?: string
          is_long?: boolean
          note?: string | null
          seconds?: never
          started_at?: string
          ticket_id?: string
          updated_at?: string
          user_id?: string
          user_name?: string | null
          version?: number
        }
        Relationships: [
          {
            foreignKeyName: 'time_entries_company_id_fkey'
            columns: ['company_id']
            isOneToOne: false
            referencedRelation: 'companies'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'time_entries_ticket_id_fkey'
            columns: ['ticket_id', 'company_id']
            isOneToOne: false
            referencedRelation: 'tickets'
            referencedColumns: ['id', 'company_id']
          },
          {
            foreignKeyName: 'time_entries_user_id_fkey'
            columns: ['user_id']
            isOneToOne: false
            referencedRelation: 'profiles'
            referencedColumns: ['id']
          },
        ]
      }
      user_roles: {
        Row: {
          company_id: string | null
          created_at: string
          deactivated_at: string | null
          invited_at: string | null
          mfa_enabled: boolean
          role: string
          status: string | null
          updated_at: string
          user_id: string
          version: number
        }
        Insert: {
          company_id?: string | null
          created_at?: string
          deactivated_at?: string | null
          invited_at?: string | null
          mfa_enabled?: boolean
          role: string
          status?: never
          updated_at?: string
          user_id: string
          version?: number
        }
        Update: {
          company_id?: string | null
          created_at?: string
          deactivated_at?: string | null
          invited_at?: string | null
          mfa_enabled?: boolean
          role?: string
          status?: never
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
    Views: {
      people: {
        Row: {
          id: string | null
          is_deactivated: boolean | null
          name: string | null
          name_key: string | null
        }
        Relationships: []
      }
      users: {
        Row: {
          company_id: string | null
          created_at: string | null
          deactivated_at: string | null
          email: string | null
          id: string | null
          invitation_mail: string | null
          invited_at: string | null
          last_sign_in_at: string | null
          mfa_enabled: boolean | null
          name: string | null
          name_key: string | null
          role: string | null
          search: string | null
          status: string | null
          updated_at: string | null
          version: number | null
        }
        Relationships: []
      }
    }
    Functions: {
      add_group_candidates: {
        Args: {
          group_id: string
          q: string
          max_devices?: number
        }
        Returns: number
      }
      add_package_version: {
        Args: {
          corporate_app_id: string
          package_version: string
          file_id: string
          make_current?: boolean
        }
        Returns: string
      }
      add_subticket: {
        Args: {
          ticket_id: string
          subject: string
          description?: string
          assignee_id?: string
        }
        Returns: string
      }
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
      app_outdated_devices: {
        Args: {
          app_id: string
          company: string
        }
        Returns: string[]
      }
      app_store_state: {
        Args: {
          app_ids: string[]
          company: string
        }
        Returns: Json
      }
      approval_conflict: {
        Args: {
          version_id: string
        }
        Returns: string
      }
      approve_enrollment: {
        Args: {
          id: string
          device_id?: string
        }
        Returns: string
      }
      approve_mails: {
        Args: {
          ids: string[]
        }
        Returns: number
      }
      approve_procedure: {
        Args: {
          version_id: string
        }
        Returns: undefined
      }
      assign_tickets: {
        Args: {
          ids: string[]
          assignee_id?: string
        }
        Returns: number
      }
      attach_files: {
        Args: {
          ids: string[]
          resource: string
          record_id: string
        }
        Returns: number
      }
      automation_matches: {
        Args: {
          automation_id: string
          is_manual?: boolean
        }
        Returns: Json
      }
      bulk_act: {
        Args: {
          resource: string
          ids: string[]
          act: string
          argument?: string
          args?: Json
          condition?: Json
        }
        Returns: string[]
      }
      bulk_delete: {
        Args: {
          resource: string
          ids: string[]
        }
        Returns: string[]
      }
      bulk_edit: {
        Args: {
          resource: string
          ids: string[]
          changes?: Json
          lists?: Json
          job?: string
        }
        Returns: string[]
      }
      bulk_undo: {
        Args: {
          resource: string
          ids: string[]
          job: string
        }
        Returns: string[]
      }
      cancel_approval_requests: {
        Args: {
          ids: string[]
        }
        Returns: number
      }
      cancel_automation_run: {
        Args: {
          run_id: string
        }
        Returns: string
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
      check_items: {
        Args: {
          ids: string[]
          done?: boolean
        }
        Returns: number
      }
      comment_files: {
        Args: {
          resource: string
          record_id: string
        }
        Returns: {
          company_id: string
          created_at: string
          created_by: string | null
          created_by_name: string | null
          field: string | null
          has_preview: boolean
          id: string
          name: string
          path: string
          record_id: string | null
          resource: string
          size: number
          type: string
          uploaded_at: string | null
        }[]
        SetofOptions: { from: '*'; to: 'files'; isOneToOne: false; isSetofReturn: true }
      }
      comment_names: {
        Args: {
          resource: string
          record_id: string
        }
        Returns: string[]
      }
      comment_people: {
        Args: {
          resource: string
          record_id: string
          kind?: string
          q?: string
        }
        Returns: string[]
      }
      count_approvers: {
        Args: {
          company: string
        }
        Returns: number
      }
      create_enrollment_token: {
        Args: {
          company_id: string
          name: string
          group_id?: string
          expires_at?: string
          max_uses?: number
          requires_approval?: boolean
        }
        Returns: Json
      }
      dashboard: {
        Args: {
          company?: string
        }
        Returns: Json
      }
      deactivate_users: {
        Args: {
          ids: string[]
        }
        Returns: number
      }
      decide_alerts: {
        Args: {
          ids: string[]
          status: string
        }
        Returns: number
      }
      decide_approvals: {
        Args: {
          ids: string[]
          approved: boolean
          note?: string
        }
        Returns: number
      }
      decide_for: {
        Args: {
          ids: string[]
          scope: string
          approval: string
          group_id?: string
          device_id?: string
          until?: string
          notes?: string
        }
        Returns: number
      }
      decide_on_devices: {
        Args: {
          ids: string[]
          approval: string
          until?: string
        }
        Returns: number
      }
      decide_patches: {
        Args: {
          ids: string[]
          approval: string
          until?: string
        }
        Returns: number
      }
      decline_procedure: {
        Args: {
          version_id: string
          reason: string
        }
        Returns: undefined
      }
      device_history: {
        Args: {
          device_id: string
          hours?: number
        }
        Returns: Json
      }
      device_holds: {
        Args: {
          device_id: string
        }
        Returns: Json
      }
      device_policies: {
        Args: {
          device_id: string
        }
        Returns: Json
      }
      device_timeline: {
        Args: {
          device_id: string
          kinds?: string[]
          before?: string
          before_id?: string
        }
        Returns: string[]
      }
      device_upcoming: {
        Args: {
          device_id: string
        }
        Returns: string[]
      }
      device_windows: {
        Args: {
          device_id: string
        }
        Returns: Json
      }
      end_exceptions: {
        Args: {
          ids: string[]
        }
        Returns: number
      }
      end_user_sessions: {
        Args: {
          ids: string[]
        }
        Returns: number
      }
      facet_counts: {
        Args: {
          resource: string
          field: string
          filter: Json
          q?: string
          max_rows?: number
        }
        Returns: string[]
      }
      file_limits: {
        Args: {
          resource: string
          field?: string
          company_id?: string
        }
        Returns: Json
      }
      fill_canned_reply: {
        Args: {
          reply: string
          ticket: string
        }
        Returns: string
      }
      fill_holidays: {
        Args: {
          id: string
          country: string
          region: string
          days: Json
        }
        Returns: number
      }
      find_reasons: {
        Args: {
          q: string
          wanted: Json
        }
        Returns: string[]
      }
      find_records: {
        Args: {
          q: string
          resources: Json
          max_rows?: number
        }
        Returns: string[]
      }
      finish_file: {
        Args: {
          file_id: string
        }
        Returns: {
          company_id: string
          created_at: string
          created_by: string | null
          created_by_name: string | null
          field: string | null
          has_preview: boolean
          id: string
          name: string
          path: string
          record_id: string | null
          resource: string
          size: number
          type: string
          uploaded_at: string | null
        }
        SetofOptions: { from: '*'; to: 'files'; isOneToOne: true; isSetofReturn: false }
      }
      hidden_cost: {
        Args: {
          r: string
        }
        Returns: number
      }
      import_rows: {
        Args: {
          resource: string
          rows: Json
          company?: string
          keys?: string[]
          lookups?: Json
          mode?: string
          dry_run?: boolean
        }
        Returns: Json
      }
      install_patches: {
        Args: {
          ids: string[]
          name?: string
        }
        Returns: string
      }
      is_taken: {
        Args: {
          resource: string
          fields: string[]
          record: Json
          except_id?: string
        }
        Returns: boolean
      }
      keep_terminal: {
        Args: {
          device_id: string
        }
        Returns: undefined
      }
      license_preview: {
        Args: {
          match_rule: string
          license_type?: string
          company?: string
        }
        Returns: Json
      }
      license_use: {
        Args: {
          license_id: string
        }
        Returns: Json
      }
      list_figures: {
        Args: {
          resource: string
          figures: Json
          filter: Json
          q?: string
          zone?: string
        }
        Returns: Json
      }
      mail_state: {
        Args: never
        Returns: Json
      }
      mark_favorite: {
        Args: {
          procedure_id: string
          is_favorite?: boolean
        }
        Returns: undefined
      }
      matching_ids: {
        Args: {
          resource: string
          filter: Json
          q?: string
          after?: string
          max_rows?: number
        }
        Returns: string[]
      }
      merge_effects: {
        Args: {
          ids: string[]
        }
        Returns: Json
      }
      merge_tickets: {
        Args: {
          ids: string[]
          target_id: string
        }
        Returns: number
      }
      my_devices: {
        Args: never
        Returns: string[]
      }
      my_list_settings: {
        Args: never
        Returns: Json
      }
      my_policy: {
        Args: never
        Returns: Json
      }
      next_runs: {
        Args: {
          resource: string
          record_id: string
          max_runs?: number
        }
        Returns: Json
      }
      open_tickets_of: {
        Args: {
          ids: string[]
        }
        Returns: number
      }
      package_limits: {
        Args: {
          corporate_app_id: string
        }
        Returns: Json
      }
      patch_compliance: {
        Args: {
          company?: string
          days?: number
        }
        Returns: Json
      }
      patch_rings: {
        Args: {
          patch_id: string
        }
        Returns: Json
      }
      pause_schedules: {
        Args: {
          ids: string[]
          paused: boolean
        }
        Returns: number
      }
      policy_impact: {
        Args: {
          company: string
          kind: string
          at_position: number
          group_ids?: string[]
          policy_id?: string
          ring?: number
        }
        Returns: Json
      }
      preview_approval: {
        Args: {
          procedure_id: string
          device_ids?: string[]
          target?: Json
        }
        Returns: Json
      }
      preview_retry: {
        Args: {
          job_id: string
        }
        Returns: Json
      }
      preview_schedule: {
        Args: {
          draft: Json
          max_runs?: number
        }
        Returns: Json
      }
      preview_target: {
        Args: {
          target: Json
          max_names?: number
        }
        Returns: Json
      }
      purge_records: {
        Args: {
          resource: string
          ids: string[]
        }
        Returns: string[]
      }
      rate_ticket: {
        Args: {
          id: string
          rating: number
          note?: string
        }
        Returns: number
      }
      reactivate_users: {
        Args: {
          ids: string[]
        }
        Returns: number
      }
      record_activity: {
        Args: {
          resource: string
          record_id: string
          before?: string
          before_id?: string
          related?: string[]
        }
        Returns: {
          action: string
          actor_email: string | null
          actor_id: string | null
          actor_name: string | null
          at: string
          changes: Json
          company_id: string | null
          device_id: string | null
          id: string
          row_id: string
          row_name: string | null
          table_name: string
        }[]
        SetofOptions: { from: '*'; to: 'audit_log'; isOneToOne: false; isSetofReturn: true }
      }
      record_titles: {
        Args: {
          wanted: Json
        }
        Returns: string[]
      }
      reject_enrollments: {
        Args: {
          ids: string[]
        }
        Returns: number
      }
      reject_mails: {
        Args: {
          ids: string[]
        }
        Returns: number
      }
      remember_language: {
        Args: {
          language: string
        }
        Returns: undefined
      }
      replace_ticket_status: {
        Args: {
          id: string
          by: string
        }
        Returns: number
      }
      request_approval: {
        Args: {
          ids: string[]
          person_id?: string
          approver_role?: string
          question?: string
        }
        Returns: number
      }
      resolve_effects: {
        Args: {
          ids: string[]
        }
        Returns: Json
      }
      restore_records: {
        Args: {
          resource: string
          ids: string[]
        }
        Returns: string[]
      }
      retry_job: {
        Args: {
          job_id: string
          failed?: boolean
          canceled?: boolean
        }
        Returns: string
      }
      revoke_enrollment_token: {
        Args: {
          id: string
        }
        Returns: undefined
      }
      roles_that_may: {
        Args: {
          object: string
          verb: string
        }
        Returns: string[]
      }
      rollout_status: {
        Args: {
          company?: string
        }
        Returns: Json
      }
      run_app: {
        Args: {
          app_id: string
          act: string
          device_ids: string[]
          name?: string
          max_running?: number
        }
        Returns: string
      }
      run_automation: {
        Args: {
          automation_id: string
          device_ids?: string[]
        }
        Returns: number
      }
      run_command: {
        Args: {
          type: string
          command: string
          device_ids: string[]
          name?: string
          timeout_seconds?: number
          expires_at?: string
          max_running?: number
        }
        Returns: string
      }
      run_corporate_app: {
        Args: {
          corporate_app_id: string
          device_ids: string[]
          name?: string
          max_running?: number
          act?: string
        }
        Returns: string
      }
      run_in_terminal: {
        Args: {
          device_id: string
          session: string
          type: string
          command: string
        }
        Returns: string
      }
      run_on_target: {
        Args: {
          target: Json
          call: string
          args?: Json
        }
        Returns: string
      }
      run_on_ticket: {
        Args: {
          ticket_id: string
          call: string
          args?: Json
        }
        Returns: string
      }
      run_procedure: {
        Args: {
          procedure_id: string
          device_ids: string[]
          parameters?: Json
          expires_at?: string
          max_running?: number
        }
        Returns: string
      }
      run_task: {
        Args: {
          task: string
          device_ids: string[]
          name?: string
          max_running?: number
        }
        Returns: string
      }
      save_children: {
        Args: {
          resource: string
          by: string
          parent: string
          rows: Json
        }
        Returns: string[]
      }
      save_rows: {
        Args: {
          resource: string
          rows: Json
        }
        Returns: string[]
      }
      search_alerts: {
        Args: {
          q: string
        }
        Returns: {
          company_id: string
          created_at: string
          device_id: string
          flapping: string | null
          id: string
          in_cooldown: boolean
          message: string
          monitor_id: string
          opened_at: string
          resolved_at: string | null
          search: string | null
          severity: string
          status: string
          suppressed_by: string | null
          times: number
          updated_at: string
          version: number
        }[]
        SetofOptions: { from: '*'; to: 'alerts'; isOneToOne: false; isSetofReturn: true }
      }
      search_apps: {
        Args: {
          q: string
        }
        Returns: {
          apt_id: string | null
          brew_id: string | null
          category: string
          choco_id: string | null
          created_at: string
          description: string | null
          enabled: boolean
          homepage: string | null
          id: string
          name: string
          name_key: string | null
          publisher: string | null
          publisher_key: string | null
          search: string | null
          updated_at: string
          version: number
          winget_id: string | null
        }[]
        SetofOptions: { from: '*'; to: 'apps'; isOneToOne: false; isSetofReturn: true }
      }
      search_articles: {
        Args: {
          q: string
        }
        Returns: {
          audience: string
          body: string
          category_id: string | null
          company_id: string
          created_at: string
          deleted_at: string | null
          deleted_by: string | null
          deleted_name: string | null
          helpful: number
          id: string
          language: string
          search: string | null
          status: string
          title: string
          title_key: string | null
          unhelpful: number
          updated_at: string
          version: number
        }[]
        SetofOptions: { from: '*'; to: 'articles'; isOneToOne: false; isSetofReturn: true }
      }
      search_assignment_rules: {
        Args: {
          q: string
        }
        Returns: {
          assignee_id: string | null
          assigns: string
          category_id: string | null
          company_id: string
          created_at: string
          enabled: boolean
          group_id: string | null
          id: string
          issue_id: string | null
          name: string
          name_key: string | null
          position: number
          priority: string | null
          reach_note: string | null
          requester_id: string | null
          role: string | null
          search: string | null
          updated_at: string
          version: number
        }[]
        SetofOptions: { from: '*'; to: 'assignment_rules'; isOneToOne: false; isSetofReturn: true }
      }
      search_automation_devices: {
        Args: {
          automation_id: string
          reason: string
          q: string
        }
        Returns: {
          agent_update_reason: string | null
          agent_update_state: string | null
          agent_update_version: string | null
          agent_version: string | null
          boot_time: string | null
          clone_suspected: boolean
          company_id: string
          cpu: string | null
          cpu_cores: number | null
          created_at: string
          disks: Json
          enrolled_at: string | null
          enrollment_token_id: string | null
          gpu: string | null
          hostname: string | null
          id: string
          inventory_refused: string | null
          inventory_refused_at: string | null
          ip_address: string | null
          logged_in_user: string | null
          machine_id: string | null
          maintenance_note: string | null
          maintenance_until: string | null
          make: string | null
          memory_mb: number | null
          missing_updates: number
          model: string | null
          name: string
          name_key: string | null
          network: Json
          notes: string | null
          offline_since: string | null
          open_alerts: number
          os: string | null
          os_version: string | null
          outdated_severity: string | null
          outdated_since: string | null
          owner_id: string | null
          platform: string | null
          reboot_required: boolean
          search: string | null
          serial: string | null
          status: string
          timezone: string | null
          updated_at: string
          updates_cut: boolean
          updates_known: boolean
          version: number
        }[]
        SetofOptions: { from: '*'; to: 'devices'; isOneToOne: false; isSetofReturn: true }
      }
      search_automations: {
        Args: {
          q: string
        }
        Returns: {
          company_id: string
          created_at: string
          created_by: string | null
          description: string | null
          enabled: boolean
          every_minutes: number | null
          frequency: string | null
          id: string
          last_run_at: string | null
          month_day: number | null
          month_week: string | null
          month_weekday: string | null
          name: string
          name_key: string | null
          next_run_at: string | null
          online_only: boolean
          paused_for: string | null
          platform: string | null
          problem: string | null
          search: string | null
          set_by: string | null
          set_by_operator: boolean
          starts_at: string | null
          time_of_day: string | null
          timezone: string | null
          trigger: string
          updated_at: string
          version: number
          weekdays: string[]
        }[]
        SetofOptions: { from: '*'; to: 'automations'; isOneToOne: false; isSetofReturn: true }
      }
      search_business_calendars: {
        Args: {
          q: string
        }
        Returns: {
          company_id: string
          country: string | null
          created_at: string
          filled_days: Json
          holidays: Json
          hours: Json
          id: string
          is_default: boolean
          name: string
          name_key: string | null
          region: string | null
          search: string | null
          timezone: string
          updated_at: string
          version: number
        }[]
        SetofOptions: { from: '*'; to: 'business_calendars'; isOneToOne: false; isSetofReturn: true }
      }
      search_canned_replies: {
        Args: {
          q: string
        }
        Returns: {
          body: string
          category_id: string | null
          company_id: string
          created_at: string
          id: string
          language: string | null
          name: string
          name_key: string | null
          owner_id: string | null
          scope: string
          search: string | null
          shortcut: string
          updated_at: string
          version: number
        }[]
        SetofOptions: { from: '*'; to: 'canned_replies'; isOneToOne: false; isSetofReturn: true }
      }
      search_companies: {
        Args: {
          q: string
        }
        Returns: {
          created_at: string
          device_count: number
          id: string
          license_end_date: string | null
          license_type: string
          name: string
          name_key: string | null
          search: string | null
          seats: number | null
          seats_left: number | null
          status: string
          timezone: string
          updated_at: string
          version: number
        }[]
        SetofOptions: { from: '*'; to: 'companies'; isOneToOne: false; isSetofReturn: true }
      }
      search_corporate_apps: {
        Args: {
          q: string
        }
        Returns: {
          company_id: string
          created_at: string
          created_by: string | null
          description: string | null
          detection_rule: string | null
          id: string
          install_arguments: string | null
          name: string
          name_key: string | null
          package_version: string
          platform: string
          publisher: string | null
          publisher_key: string | null
          reboot_codes: string | null
          search: string | null
          sha256: string | null
          source_url: string | null
          success_codes: string
          updated_at: string
          version: number
        }[]
        SetofOptions: { from: '*'; to: 'corporate_apps'; isOneToOne: false; isSetofReturn: true }
      }
      search_device_comments: {
        Args: {
          q: string
        }
        Returns: {
          author_id: string | null
          author_name: string | null
          body: string
          company_id: string
          created_at: string
          device_id: string
          edited_at: string | null
          id: string
          kind: string
          mentions: string[]
          once_key: string | null
          search: string | null
          version: number
        }[]
        SetofOptions: { from: '*'; to: 'device_comments'; isOneToOne: false; isSetofReturn: true }
      }
      search_device_patches: {
        Args: {
          q: string
        }
        Returns: {
          company_id: string
          created_at: string
          device_id: string
          device_key: string | null
          error: string | null
          exception: string | null
          exception_scope: string | null
          failed_at: string | null
          id: string
          installed_at: string | null
          installed_version: string | null
          missing_since: string
          patch_id: string
          reboot_required: boolean
          run_id: string | null
          severity: string | null
          status: string
          superseded: boolean
          title_key: string | null
          updated_at: string
        }[]
        SetofOptions: { from: '*'; to: 'device_patches'; isOneToOne: false; isSetofReturn: true }
      }
      search_device_software: {
        Args: {
          q: string
        }
        Returns: {
          company_id: string
          created_at: string
          device_id: string
          device_key: string | null
          id: string
          install_date: string | null
          publisher_key: string | null
          size_key: number | null
          size_mb: number | null
          software_id: string
          title_key: string | null
          version: string
          version_key: string | null
        }[]
        SetofOptions: { from: '*'; to: 'device_software'; isOneToOne: false; isSetofReturn: true }
      }
      search_devices: {
        Args: {
          q: string
        }
        Returns: {
          agent_update_reason: string | null
          agent_update_state: string | null
          agent_update_version: string | null
          agent_version: string | null
          boot_time: string | null
          clone_suspected: boolean
          company_id: string
          cpu: string | null
          cpu_cores: number | null
          created_at: string
          disks: Json
          enrolled_at: string | null
          enrollment_token_id: string | null
          gpu: string | null
          hostname: string | null
          id: string
          inventory_refused: string | null
          inventory_refused_at: string | null
          ip_address: string | null
          logged_in_user: string | null
          machine_id: string | null
          maintenance_note: string | null
          maintenance_until: string | null
          make: string | null
          memory_mb: number | null
          missing_updates: number
          model: string | null
          name: string
          name_key: string | null
          network: Json
          notes: string | null
          offline_since: string | null
          open_alerts: number
          os: string | null
          os_version: string | null
          outdated_severity: string | null
          outdated_since: string | null
          owner_id: string | null
          platform: string | null
          reboot_required: boolean
          search: string | null
          serial: string | null
          status: string
          timezone: string | null
          updated_at: string
          updates_cut: boolean
          updates_known: boolean
          version: number
        }[]
        SetofOptions: { from: '*'; to: 'devices'; isOneToOne: false; isSetofReturn: true }
      }
      search_enrollment_requests: {
        Args: {
          q: string
        }
        Returns: {
          agent_version: string | null
          company_id: string
          created_at: string
          decided_at: string | null
          decided_by: string | null
          device_id: string | null
          group_id: string | null
          hostname: string
          id: string
          ip_address: string | null
          last_asked_at: string
          machine_id: string
          name_key: string | null
          platform: string
          search: string | null
          status: string
          token_id: string | null
          updated_at: string
          version: number
        }[]
        SetofOptions: { from: '*'; to: 'enrollment_requests'; isOneToOne: false; isSetofReturn: true }
      }
      search_enrollment_tokens: {
        Args: {
          q: string
        }
        Returns: {
          company_id: string
          created_at: string
          created_by: string | null
          expires_at: string | null
          group_id: string | null
          hint: string
          id: string
          max_uses: number | null
          name: string
          name_key: string | null
          requires_approval: boolean
          revoked_at: string | null
          search: string | null
          updated_at: string
          used_count: number
          used_up: boolean
          version: number
        }[]
        SetofOptions: { from: '*'; to: 'enrollment_tokens'; isOneToOne: false; isSetofReturn: true }
      }
      search_group_candidates: {
        Args: {
          group_id: string
          q: string
        }
        Returns: {
          agent_update_reason: string | null
          agent_update_state: string | null
          agent_update_version: string | null
          agent_version: string | null
          boot_time: string | null
          clone_suspected: boolean
          company_id: string
          cpu: string | null
          cpu_cores: number | null
          created_at: string
          disks: Json
          enrolled_at: string | null
          enrollment_token_id: string | null
          gpu: string | null
          hostname: string | null
          id: string
          inventory_refused: string | null
          inventory_refused_at: string | null
          ip_address: string | null
          logged_in_user: string | null
          machine_id: string | null
          maintenance_note: string | null
          maintenance_until: string | null
          make: string | null
          memory_mb: number | null
          missing_updates: number
          model: string | null
          name: string
          name_key: string | null
          network: Json
          notes: string | null
          offline_since: string | null
          open_alerts: number
          os: string | null
          os_version: string | null
          outdated_severity: string | null
          outdated_since: string | null
          owner_id: string | null
          platform: string | null
          reboot_required: boolean
          search: string | null
          serial: string | null
          status: string
          timezone: string | null
          updated_at: string
          updates_cut: boolean
          updates_known: boolean
          version: number
        }[]
        SetofOptions: { from: '*'; to: 'devices'; isOneToOne: false; isSetofReturn: true }
      }
      search_group_devices: {
        Args: {
          q: string
        }
        Returns: {
          added_at: string
          company_id: string
          device_id: string
          device_key: string | null
          group_id: string
        }[]
        SetofOptions: { from: '*'; to: 'group_devices'; isOneToOne: false; isSetofReturn: true }
      }
      search_groups: {
        Args: {
          q: string
        }
        Returns: {
          by_rule: boolean | null
          chosen_by: string
          company_id: string
          created_at: string
          description: string | null
          device_count: number
          id: string
          name: string
          name_key: string | null
          rule: Json | null
          search: string | null
          updated_at: string
          version: number
        }[]
        SetofOptions: { from: '*'; to: 'groups'; isOneToOne: false; isSetofReturn: true }
      }
      search_inbound_mails: {
        Args: {
          q: string
        }
        Returns: {
          attachments: string | null
          attempts: number
          body: string | null
          company_id: string | null
          created_at: string
          decided_at: string | null
          decided_by: string | null
          error: string | null
          from_address: string | null
          from_name: string | null
          id: string
          is_approved: boolean
          message_id: string | null
          message_key: string
          next_attempt_at: string
          person_id: string | null
          reason: string | null
          search: string | null
          sender_check: string | null
          size: number
          source: string
          status: string
          subject: string | null
          ticket_id: string | null
          to_address: string | null
          updated_at: string
          version: number
        }[]
        SetofOptions: { from: '*'; to: 'inbound_mails'; isOneToOne: false; isSetofReturn: true }
      }
      search_job_runs: {
        Args: {
          q: string
        }
        Returns: {
          attempt: number
          automation_run_id: string | null
          cancel_requested_at: string | null
          claimed_at: string | null
          company_id: string
          created_at: string
          device_id: string
          device_key: string | null
          duration_seconds: number | null
          error: string | null
          exit_code: number | null
          finished_at: string | null
          id: string
          is_capped: boolean
          job_id: string
          lease_until: string | null
          output: string | null
          output_truncated: boolean
          procedure_id: string | null
          queued_at: string
          reported_at: string | null
          start_after: string | null
          started_at: string | null
          status: string
          updated_at: string
          version: number
          waits_for: string | null
        }[]
        SetofOptions: { from: '*'; to: 'job_runs'; isOneToOne: false; isSetofReturn: true }
      }
      search_jobs: {
        Args: {
          q: string
        }
        Returns: {
          automation_id: string | null
          canceled: number
          company_id: string
          created_at: string
          created_by: string | null
          due_at: string | null
          expires_at: string
          failed: number
          id: string
          kind: string
          left_full: number
          left_out: number
          max_running: number | null
          name: string
          name_key: string | null
          outcome: string
          parameters: Json
          platforms: string[] | null
          procedure_id: string | null
          procedure_version_id: string | null
          retry_of: string | null
          schedule_id: string | null
          script: string
          script_sha256: string
          script_type: string
          search: string | null
          secret_names: string[]
          status: string
          succeeded: number
          timeout_seconds: number
          total: number
          updated_at: string
          version: number
        }[]
        SetofOptions: { from: '*'; to: 'jobs'; isOneToOne: false; isSetofReturn: true }
      }
      search_license_devices: {
        Args: {
          license_id: string
          q: string
        }
        Returns: {
          agent_update_reason: string | null
          agent_update_state: string | null
          agent_update_version: string | null
          agent_version: string | null
          boot_time: string | null
          clone_suspected: boolean
          company_id: string
          cpu: string | null
          cpu_cores: number | null
          created_at: string
          disks: Json
          enrolled_at: string | null
          enrollment_token_id: string | null
          gpu: string | null
          hostname: string | null
          id: string
          inventory_refused: string | null
          inventory_refused_at: string | null
          ip_address: string | null
          logged_in_user: string | null
          machine_id: string | null
          maintenance_note: string | null
          maintenance_until: string | null
          make: string | null
          memory_mb: number | null
          missing_updates: number
          model: string | null
          name: string
          name_key: string | null
          network: Json
          notes: string | null
          offline_since: string | null
          open_alerts: number
          os: string | null
          os_version: string | null
          outdated_severity: string | null
          outdated_since: string | null
          owner_id: string | null
          platform: string | null
          reboot_required: boolean
          search: string | null
          serial: string | null
          status: string
          timezone: string | null
          updated_at: string
          updates_cut: boolean
          updates_known: boolean
          version: number
        }[]
        SetofOptions: { from: '*'; to: 'devices'; isOneToOne: false; isSetofReturn: true }
      }
      search_mail_addresses: {
        Args: {
          q: string
        }
        Returns: {
          address: string
          category_id: string | null
          company_id: string
          created_at: string
          id: string
          name_key: string | null
          search: string | null
          updated_at: string
          version: number
        }[]
        SetofOptions: { from: '*'; to: 'mail_addresses'; isOneToOne: false; isSetofReturn: true }
      }
      search_monitor_states: {
        Args: {
          q: string
        }
        Returns: {
          changed_at: string | null
          company_id: string
          created_at: string
          device_id: string | null
          id: string
          message: string | null
          monitor_id: string | null
          reopen_at: string | null
          search: string | null
          state: string | null
          suppressed: boolean
          updated_at: string
          version: number
        }[]
        SetofOptions: { from: '*'; to: 'monitor_states'; isOneToOne: false; isSetofReturn: true }
      }
      search_monitors: {
        Args: {
          q: string
        }
        Returns: {
          above_percent: number | null
          auto_resolve: boolean
          check_interval: number | null
          company_id: string
          cooldown_minutes: number
          created_at: string
          description: string | null
          enabled: boolean
          event_count: number | null
          event_id: number | null
          event_minutes: number | null
          health: string
          id: string
          is_active: boolean
          last_check_at: string | null
          log_name: string | null
          metric: string | null
          name: string
          name_key: string | null
          notify_role: string | null
          offline_minutes: number | null
          open_ticket: boolean
          paused_for: string | null
          platforms: string[]
          probe: string | null
          procedure_id: string | null
          process_name: string | null
          process_state: string | null
          repeat_count: number | null
          restart: boolean
          search: string | null
          service_name: string | null
          set_by: string | null
          set_by_operator: boolean
          settings: Json
          severity: string
          target: string | null
          threshold: string | null
          ticket_answers: Json
          ticket_assignee_id: string | null
          ticket_category_id: string | null
          ticket_priority: string | null
          type: string
          updated_at: string
          version: number
        }[]
        SetofOptions: { from: '*'; to: 'monitors'; isOneToOne: false; isSetofReturn: true }
      }
      search_patches: {
        Args: {
          q: string
        }
        Returns: {
          approval: string
          category: string
          company_id: string
          created_at: string
          deferred_until: string | null
          id: string
          kb_number: string
          notes: string | null
          release_date: string | null
          reported_by: string | null
          search: string | null
          severity: string
          size_mb: number | null
          superseded: boolean
          title: string
          title_key: string | null
          updated_at: string
          version: number
        }[]
        SetofOptions: { from: '*'; to: 'patches'; isOneToOne: false; isSetofReturn: true }
      }
      search_people: {
        Args: {
          q: string
        }
        Returns: {
          id: string | null
          is_deactivated: boolean | null
          name: string | null
          name_key: string | null
        }[]
        SetofOptions: { from: '*'; to: 'people'; isOneToOne: false; isSetofReturn: true }
      }
      search_policies: {
        Args: {
          q: string
        }
        Returns: {
          agent_update_days: number | null
          agent_updates: string | null
          approve_after_days: number | null
          approve_severities: string[]
          check_in_seconds: number | null
          company_id: string
          created_at: string
          created_by: string | null
          denied: string[]
          denies_values: boolean
          description: string | null
          enabled: boolean
          id: string
          kind: string
          name: string
          name_key: string | null
          needs_approval: boolean
          paused_for: string | null
          position: number
          promote_after_days: number | null
          promote_min_devices: number | null
          promote_success_percent: number | null
          reboot: string | null
          reboot_from: string | null
          reboot_to: string | null
          reboot_weekdays: string[]
          ring: number | null
          search: string | null
          set_by: string | null
          set_by_operator: boolean
          timezone: string | null
          updated_at: string
          version: number
          window_from: string | null
          window_to: string | null
          window_weekdays: string[]
        }[]
        SetofOptions: { from: '*'; to: 'policies'; isOneToOne: false; isSetofReturn: true }
      }
      search_procedures: {
        Args: {
          q: string
        }
        Returns: {
          approved_at: string | null
          approved_name: string | null
          approved_revision: number | null
          category: string | null
          company_id: string
          created_at: string
          created_by: string | null
          decline_reason: string | null
          declined_at: string | null
          declined_name: string | null
          description: string | null
          id: string
          is_approved: boolean | null
          name: string
          name_key: string | null
          parameters: Json
          platforms: string[]
          revision: number
          script: string
          search: string | null
          timeout_seconds: number
          type: string
          updated_at: string
          version: number
          waiting_since: string | null
        }[]
        SetofOptions: { from: '*'; to: 'procedures'; isOneToOne: false; isSetofReturn: true }
      }
      search_profiles: {
        Args: {
          q: string
        }
        Returns: {
          created_at: string
          email: string
          id: string
          is_deactivated: boolean
          name: string
          name_key: string | null
          search: string | null
          updated_at: string
        }[]
        SetofOptions: { from: '*'; to: 'profiles'; isOneToOne: false; isSetofReturn: true }
      }
      search_remote_links: {
        Args: {
          q: string
        }
        Returns: {
          company_id: string
          created_at: string
          id: string
          name: string
          name_key: string | null
          platform: string | null
          search: string | null
          template: string
          updated_at: string
          version: number
        }[]
        SetofOptions: { from: '*'; to: 'remote_links'; isOneToOne: false; isSetofReturn: true }
      }
      search_saved_commands: {
        Args: {
          q: string
        }
        Returns: {
          command: string
          company_id: string
          created_at: string
          deleted_at: string | null
          deleted_by: string | null
          deleted_name: string | null
          id: string
          name: string
          name_key: string | null
          platforms: string[]
          search: string | null
          timeout_seconds: number
          type: string
          updated_at: string
          version: number
        }[]
        SetofOptions: { from: '*'; to: 'saved_commands'; isOneToOne: false; isSetofReturn: true }
      }
      search_scheduled_tasks: {
        Args: {
          q: string
        }
        Returns: {
          company_id: string
          created_at: string
          created_by: string | null
          device_id: string | null
          device_time: boolean
          enabled: boolean
          every_minutes: number | null
          frequency: string
          group_id: string | null
          id: string
          last_error: string | null
          last_run_at: string | null
          max_running: number | null
          missed_run: string
          month_day: number | null
          month_week: string | null
          month_weekday: string | null
          name: string
          name_key: string | null
          next_run_at: string | null
          paused_for: string | null
          procedure_id: string
          random_delay_minutes: number
          search: string | null
          set_at: string
          set_by: string | null
          set_by_operator: boolean
          starts_at: string
          state: string | null
          target: Json
          target_kind: string
          time_of_day: string | null
          timezone: string
          updated_at: string
          version: number
          weekdays: string[] | null
        }[]
        SetofOptions: { from: '*'; to: 'scheduled_tasks'; isOneToOne: false; isSetofReturn: true }
      }
      search_sla_policies: {
        Args: {
          q: string
        }
        Returns: {
          calendar_id: string | null
          category_id: string | null
          company_id: string
          created_at: string
          enabled: boolean
          id: string
          name: string
          name_key: string | null
          position: number
          search: string | null
          targets: Json
          updated_at: string
          version: number
        }[]
        SetofOptions: { from: '*'; to: 'sla_policies'; isOneToOne: false; isSetofReturn: true }
      }
      search_software: {
        Args: {
          q: string
        }
        Returns: {
          company_id: string
          created_at: string
          devices: number
          gone_at: string | null
          id: string
          name: string
          name_key: string | null
          newest_version: string | null
          outdated: number
          publisher: string
          recent_changes: number
          search: string | null
          versions: number
        }[]
        SetofOptions: { from: '*'; to: 'software'; isOneToOne: false; isSetofReturn: true }
      }
      search_software_licenses: {
        Args: {
          q: string
        }
        Returns: {
          available: number | null
          company_id: string
          cost: number | null
          created_at: string
          created_by: string | null
          currency: string
          detected: number | null
          expires_on: string | null
          id: string
          match_rule: string | null
          name: string
          name_key: string | null
          notes: string | null
          publisher: string | null
          purchased_on: string | null
          remind_days: number
          search: string | null
          seats: number
          type: string
          unused_since: string | null
          updated_at: string
          version: number
        }[]
        SetofOptions: { from: '*'; to: 'software_licenses'; isOneToOne: false; isSetofReturn: true }
      }
      search_tags: {
        Args: {
          q: string
        }
        Returns: {
          company_id: string
          created_at: string
          device_count: number
          id: string
          name: string
          name_key: string | null
          search: string | null
          updated_at: string
          version: number
        }[]
        SetofOptions: { from: '*'; to: 'tags'; isOneToOne: false; isSetofReturn: true }
      }
      search_ticket_categories: {
        Args: {
          q: string
        }
        Returns: {
          audience: string
          checklist: Json
          color: string
          company_id: string
          created_at: string
          description: string | null
          fields: Json
          icon: string | null
          id: string
          name: string
          name_key: string | null
          position: number
          search: string | null
          updated_at: string
          version: number
        }[]
        SetofOptions: { from: '*'; to: 'ticket_categories'; isOneToOne: false; isSetofReturn: true }
      }
      search_ticket_checklist_items: {
        Args: {
          q: string
        }
        Returns: {
          company_id: string
          created_at: string
          done: boolean
          done_at: string | null
          done_by: string | null
          done_by_name: string | null
          id: string
          position: number
          search: string | null
          text: string
          ticket_id: string
          updated_at: string
          version: number
        }[]
        SetofOptions: { from: '*'; to: 'ticket_checklist_items'; isOneToOne: false; isSetofReturn: true }
      }
      search_ticket_comments: {
        Args: {
          q: string
        }
        Returns: {
          author_id: string | null
          author_name: string | null
          body: string
          company_id: string
          created_at: string
          edited_at: string | null
          id: string
          kind: string
          mentions: string[]
          once_key: string | null
          origin: string | null
          search: string | null
          ticket_id: string
          version: number
        }[]
        SetofOptions: { from: '*'; to: 'ticket_comments'; isOneToOne: false; isSetofReturn: true }
      }
      search_ticket_issues: {
        Args: {
          q: string
        }
        Returns: {
          category_id: string
          company_id: string
          created_at: string
          description: string | null
          id: string
          name: string
          name_key: string | null
          priority: string
          search: string | null
          updated_at: string
          version: number
        }[]
        SetofOptions: { from: '*'; to: 'ticket_issues'; isOneToOne: false; isSetofReturn: true }
      }
      search_ticket_statuses: {
        Args: {
          q: string
        }
        Returns: {
          color: string
          company_id: string
          created_at: string
          id: string
          is_default: boolean
          kind: string
          name: string
          name_key: string | null
          position: number
          search: string | null
          updated_at: string
          version: number
        }[]
        SetofOptions: { from: '*'; to: 'ticket_statuses'; isOneToOne: false; isSetofReturn: true }
      }
      search_tickets: {
        Args: {
          q: string
        }
        Returns: {
          alert_id: string | null
          alert_message: string | null
          alert_note: string | null
          alert_resolved_at: string | null
          alert_table: string | null
          answers: Json
          assignee_id: string | null
          assignee_name: string | null
          assignment_note: string | null
          category_id: string | null
          checklist_done: number
          checklist_progress: string | null
          checklist_total: number
          company_id: string
          created_at: string
          created_by: string | null
          deleted_at: string | null
          deleted_by: string | null
          deleted_name: string | null
          description: string | null
          device_id: string | null
          due_at: string | null
          first_responded_at: string | null
          first_response_due_at: string | null
          id: string
          issue_id: string | null
          merge_state: string | null
          merged_into_id: string | null
          number: number
          open_approvals: number
          parent_id: string | null
          paused_at: string | null
          paused_seconds: number
          priority: string | null
          priority_rank: number | null
          rated_at: string | null
          rating: number | null
          rating_note: string | null
          repair_name: string | null
          repair_run_id: string | null
          repair_table: string | null
          requester_email: string | null
          requester_id: string | null
          requester_name: string | null
          resolved_at: string | null
          search: string | null
          sla_next_at: string | null
          sla_policy_id: string | null
          sla_state: string
          solution_due_at: string | null
          split_from_id: string | null
          status: string
          status_id: string | null
          subject: string
          subject_key: string | null
          subticket_count: number
          timer_started_at: string | null
          timer_state: string | null
          unfinished: string | null
          updated_at: string
          version: number
        }[]
        SetofOptions: { from: '*'; to: 'tickets'; isOneToOne: false; isSetofReturn: true }
      }
      search_users: {
        Args: {
          q: string
        }
        Returns: {
          company_id: string | null
          created_at: string | null
          deactivated_at: string | null
          email: string | null
          id: string | null
          invitation_mail: string | null
          invited_at: string | null
          last_sign_in_at: string | null
          mfa_enabled: boolean | null
          name: string | null
          name_key: string | null
          role: string | null
          search: string | null
          status: string | null
          updated_at: string | null
          version: number | null
        }[]
        SetofOptions: { from: '*'; to: 'users'; isOneToOne: false; isSetofReturn: true }
      }
      send_password_links: {
        Args: {
          ids: string[]
        }
        Returns: number
      }
      send_test_mail: {
        Args: never
        Returns: string
      }
      set_article_status: {
        Args: {
          ids: string[]
          status: string
        }
        Returns: number
      }
      set_group_rule: {
        Args: {
          group_id: string
          rule?: Json
          timezone?: string
        }
        Returns: number
      }
      set_maintenance: {
        Args: {
          device_ids: string[]
          minutes: number
          note?: string
        }
        Returns: number
      }
      set_own_ticket_status: {
        Args: {
          ids: string[]
          status: string
        }
        Returns: number
      }
      set_ticket_parent: {
        Args: {
          ids: string[]
          parent_id?: string
        }
        Returns: number
      }
      set_ticket_status: {
        Args: {
          ids: string[]
          status: string
          with_subtickets?: boolean
          status_id?: string
        }
        Returns: number
      }
      software_spread: {
        Args: {
          software_id: string
        }
        Returns: Json
      }
      split_ticket: {
        Args: {
          comment_id: string
          subject: string
        }
        Returns: string
      }
      start_timer: {
        Args: {
          ticket_id: string
        }
        Returns: string
      }
      still_failing: {
        Args: {
          ids: string[]
        }
        Returns: number
      }
      stop_timer: {
        Args: {
          note?: string
          ended_at?: string
        }
        Returns: string
      }
      suggest_articles: {
        Args: {
          q: string
          company?: string
          most?: number
        }
        Returns: string[]
      }
      suggest_procedures: {
        Args: {
          q: string
          company?: string
        }
        Returns: string[]
      }
      take_over: {
        Args: {
          resource: string
          ids: string[]
        }
        Returns: number
      }
      target_devices: {
        Args: {
          target: Json
          skip?: number
          max_rows?: number
        }
        Returns: Json
      }
      test_monitor: {
        Args: {
          monitor_id: string
          device_ids: string[]
          name?: string
        }
        Returns: string
      }
      test_script: {
        Args: {
          device_id: string
          type: string
          script: string
          timeout_seconds?: number
          definitions?: Json
          parameters?: Json
          name?: string
        }
        Returns: string
      }
      ticket_side: {
        Args: {
          ticket_id: string
        }
        Returns: Json
      }
      trash: {
        Args: {
          resource: string
          company?: string
          fields?: string[]
          ids?: string[]
          after_at?: string
          after_id?: string
          max_rows?: number
          q?: string
        }
        Returns: string[]
      }
      use_package_file: {
        Args: {
          file_id: string
        }
        Returns: undefined
      }
      vote_articles: {
        Args: {
          ids: string[]
          helpful: boolean
        }
        Returns: number
      }
      watch_tickets: {
        Args: {
          ids: string[]
          watching?: boolean
        }
        Returns: number
      }
      work_held_by: {
        Args: {
          ids: string[]
        }
        Returns: Json
      }
    }
    Enums: { [_ in never]: never }
    CompositeTypes: { [_ in never]: never }
  }
}
