# quality: 20 waits, 48 I/O calls, 0 lost, 0 truncated stacks (0.00 %), 0.0 % in unresolved code
# selected: filters IOFUNC==65, 0 of 20 waits, 1 of 48 I/O calls
Files: 1, sorted by the time of all calls

    Reads         Bytes      usec.     Writes         Bytes      usec.      Other      usec.     Errors      usec.  File
        1             8      1.813          0             0      0.000          0      0.000          0      0.000  <Total>
        1             8      1.813          0             0      0.000          0      0.000          0      0.000  /tmp/xer-golden/waits.d/file (ext4)

# next: iodetail  (the same by descriptor)
# next: iocallstack  (the stacks that read and write)

Descriptors, each with every file that it stood for: 1, sorted by the time of all calls

    Reads         Bytes      usec.     Writes         Bytes      usec.      Other      usec.     Errors      usec.     FD  File
        1             8      1.813          0             0      0.000          0      0.000          0      0.000         <Total>
        1             8      1.813          0             0      0.000          0      0.000          0      0.000      3  /tmp/xer-golden/waits.d/file (ext4)

# next: iostat  (sizes, functions and errors)

Summary Results: Distinct Stacks = 1, Total = 0.000002 (secs.), Read: Calls = 1 Bytes = 8 Time = 0.000002

Stack #1, Total = 0.000002 (secs.), Longest = 0.000002, Read: Calls = 1 Bytes = 8 Time = 0.000002
  use_file + 0x0000007C, line 153 in "waits_known.c"
  use_names + 0x0000006F, line 204 in "waits_known.c"
  main + 0x00000055, line 221 in "waits_known.c"
  libc.so.6+0x27249
  libc.so.6+0x27304
  _start + 0x00000020

# next: ioactivity  (the files behind them)

Read
  Total calls              1
  Total time               1.813 (usecs.)
  Longest call             1.813 (usecs.)
  Total bytes              8
  Smallest bytes           8
  Largest bytes            8
  Average bytes            8
  Bytes a call             Reads
    8 B   to <    16 B    1

Write
  Total calls              0
  Total time               0.000000 (secs.)

Other
  Total calls              0
  Total time               0.000000 (secs.)

Errors
  Total calls              0
  Total time               0.000000 (secs.)

Functions, each with its variants
      Calls     Errors           Bytes  Time (secs.)  Function
          1          0               8      0.000002  pread

# next: ioactivity  (the files behind it)
# next: iocallstack  (the stacks that read and write)

Functions sorted by metric: Inclusive Sync Wait Time

Incl.       Incl.       Incl.        Name
Sync Wait   Read Time   Write Time
 sec.       usec.       usec.
0.000       1.813       0.000        <Total>
0.000       1.813       0.000        _start
0.000       1.813       0.000        libc.so.6+0x27249
0.000       1.813       0.000        libc.so.6+0x27304
0.000       1.813       0.000        main
0.000       1.813       0.000        use_file
0.000       1.813       0.000        use_names
# next: calltree  (where the calls come from)
# next: metrics wide  (5 more columns of what was recorded)

Functions Call Tree. Metric: Attributed Sync Wait Time

Attr.       Attr.       Attr.        Name
Sync Wait   Read Time   Write Time
 sec.       usec.       usec.
0.000       1.813       0.000        +-<Total>
0.000       1.813       0.000          +-_start
0.000       1.813       0.000            +-libc.so.6+0x27304
0.000       1.813       0.000              +-libc.so.6+0x27249
0.000       1.813       0.000                +-main
0.000       1.813       0.000                  +-use_names
0.000       1.813       0.000                    +-use_file

exit status 0
