/**
 * The tests of the WASI test suite (WebAssembly/wasi-testsuite) for preview 1, each with the
 * behaviours of `preview1.wasm` that cover it. These are our own programs, written from the
 * expectations of the suite's tests.
 */
export const wasiSuite: Readonly<Record<string, readonly string[]>> = {
  // Written in AssemblyScript
  'args_get-multiple-arguments': ['arguments_are_all_there'],
  'args_sizes_get-multiple-arguments': ['arguments_are_all_there'],
  'args_sizes_get-no-arguments': ['arguments_are_all_there'],
  'environ_get-multiple-variables': ['the_environment_is_all_there'],
  'environ_sizes_get-multiple-variables': ['the_environment_is_all_there'],
  'environ_sizes_get-no-variables': ['the_environment_is_all_there'],
  'fd_write-to-invalid-fd': ['writing_to_a_stream_counts_bytes'],
  'fd_write-to-stdout': ['writing_to_a_stream_counts_bytes'],
  'proc_exit-failure': ['exiting_with_33_fails'],
  'proc_exit-success': ['exiting_with_0_succeeds'],
  'random_get-non-zero-length': ['random_numbers_fill_what_is_asked_for'],
  'random_get-zero-length': ['random_numbers_fill_what_is_asked_for'],
  // Written in C
  'clock_getres-monotonic': ['the_library_reads_the_clocks'],
  'clock_getres-realtime': ['the_library_reads_the_clocks'],
  'clock_gettime-monotonic': ['the_library_reads_the_clocks'],
  'clock_gettime-realtime': ['the_library_reads_the_clocks'],
  'fdopendir-with-access': ['the_library_lists_a_folder'],
  'fopen-with-access': ['the_library_opens_relative_and_absolute_paths'],
  lseek: ['the_library_seeks_and_writes_at_places'],
  'pread-with-access': ['the_library_seeks_and_writes_at_places'],
  'pwrite-with-access': ['the_library_seeks_and_writes_at_places'],
  'pwrite-with-append': ['the_library_appends'],
  'sock_shutdown-invalid_fd': ['the_library_has_no_sockets', 'a_stream_is_no_socket'],
  'sock_shutdown-not_sock': ['the_library_has_no_sockets', 'a_stream_is_no_socket'],
  'stat-dev-ino': ['the_library_tells_files_apart', 'files_have_one_device_and_numbers_of_their_own'],
  // Written in Rust
  big_random_buf: ['random_numbers_fill_what_is_asked_for'],
  clock_time_get: ['clocks_go_forward'],
  close_preopen: ['a_preopened_descriptor_can_be_closed'],
  dangling_fd: ['a_descriptor_outlives_the_name_of_its_file'],
  dangling_symlink: ['a_link_to_nothing_is_not_opened'],
  dir_fd_op_failures: ['folder_descriptors_refuse_what_is_for_files'],
  directory_seek: ['a_folder_never_gets_the_right_to_seek'],
  fd_advise: ['advice_changes_nothing'],
  fd_fdstat_set_rights: ['rights_are_given_up_and_never_regained'],
  fd_filestat_set: ['size_and_times_are_set_by_descriptor'],
  fd_flags_set: ['appending_lasts_until_the_flag_is_taken_away'],
  fd_readdir: ['a_folder_is_read_in_pieces'],
  file_allocate: ['allocating_only_ever_lengthens_a_file'],
  file_pread_pwrite: ['reading_and_writing_at_a_place_moves_nothing'],
  file_seek_tell: ['seeking_goes_beyond_the_end_and_not_before_the_start'],
  file_truncation: ['truncating_empties_a_file'],
  file_unbuffered_write: ['what_is_written_is_there_for_others_at_once'],
  fstflags_validate: ['a_time_is_not_set_to_two_things'],
  interesting_paths: ['paths_stay_beneath_the_folder_they_begin_at'],
  isatty: ['nothing_is_a_terminal'],
  nofollow_errors: ['a_link_is_not_opened_itself'],
  overwrite_preopen: ['a_preopened_descriptor_can_be_renumbered_over'],
  path_exists: ['a_status_follows_links_when_asked_to'],
  path_filestat: ['size_and_times_are_had_by_path'],
  path_link: ['a_hard_link_is_the_same_file'],
  path_open_create_existing: ['what_exists_is_not_created_anew'],
  path_open_dirfd_not_dir: ['a_path_cannot_begin_at_a_file'],
  path_open_missing: ['what_is_missing_is_not_opened'],
  path_open_nonblock: ['a_preopened_folder_has_the_rights_that_programs_expect'],
  path_open_preopen: ['a_preopened_folder_has_the_rights_that_programs_expect'],
  path_open_read_write: ['a_file_is_read_and_written_by_the_rights_it_was_opened_with'],
  path_rename: ['renaming_replaces_what_may_be_replaced'],
  path_rename_dir_trailing_slashes: ['a_folder_is_renamed_with_slashes_at_the_end'],
  path_symlink_trailing_slashes: ['a_link_is_made_where_nothing_is'],
  poll_oneoff_stdio: ['streams_are_ready_before_a_clock'],
  readlink: ['a_link_is_read_as_far_as_there_is_room'],
  remove_directory_trailing_slashes: ['removing_a_folder_takes_slashes_and_no_files'],
  remove_nonempty_directory: ['only_an_empty_folder_is_removed'],
  renumber: ['renumbering_closes_both_numbers_but_the_target'],
  sched_yield: ['a_program_can_yield'],
  stdio: ['the_three_streams_can_be_renumbered'],
  symlink_create: ['links_are_followed_when_asked_to'],
  symlink_filestat: ['a_link_has_times_of_its_own'],
  symlink_loop: ['links_in_a_circle_end'],
  truncation_rights: ['truncating_needs_the_right_of_the_folder'],
  unlink_file_trailing_slashes: ['removing_a_file_takes_no_folder_and_no_slash'],
};

/** Tests that do not apply, and why. */
export const wasiSuiteNotApplicable: Readonly<Record<string, string>> = {
  'fopen-with-no-access': 'it runs without any folder, unlike every call here',
};

/** Behaviours that the suite does not test. */
export const beyondTheSuite: readonly string[] = [
  'a_file_that_shrank_grows_again_with_zeroes',
  'a_file_that_would_be_too_long_says_so_and_goes_on',
  'a_folder_that_is_emptied_while_it_is_read_is_read_whole',
  'a_link_never_leads_out',
  'the_library_moves_nothing_between_folders_of_the_call',
];

/** Behaviours that are visible in a program's output or exit code. */
const shown = [
  'arguments_are_all_there',
  'the_environment_is_all_there',
  'writing_to_a_stream_counts_bytes',
  'exiting_with_33_fails',
];

/** Behaviours that a program checks itself, without output if they hold. */
export const wasiBehaviours: readonly string[] = [
  ...new Set([...Object.values(wasiSuite).flat(), ...beyondTheSuite]),
].filter((name) => !shown.includes(name));
