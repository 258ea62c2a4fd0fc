! MPI from Fortran: 7 rounds of MPI_Irecv of at most 100 integers, MPI_Send of 50 (200 bytes) to the next rank, MPI_Wait; one
! MPI_Allreduce in place of 3 integers; one MPI_Barrier.
program known
  use mpi
  integer :: ierr, rank, ranks, i
  integer :: request
  integer :: buf(100), got(100)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  buf = 0
  do i = 1, 7
    call MPI_Irecv(got, 100, MPI_INTEGER, mod(rank + ranks - 1, ranks), 1, MPI_COMM_WORLD, request, ierr)
    call MPI_Send(buf, 50, MPI_INTEGER, mod(rank + 1, ranks), 1, MPI_COMM_WORLD, ierr)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
  end do
  call MPI_Allreduce(MPI_IN_PLACE, buf, 3, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call MPI_Finalize(ierr)
end program
