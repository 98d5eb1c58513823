"""The environment in which tests start programs under a launcher of MPI."""
import os


def plain_environment(**more):
    """Without what an outer launcher has set."""
    names = ("OMPI_", "PMI_", "PMIX_", "PRTE_", "MPI_", "SLURM_", "MV2_")
    whole = {k: v for k, v in os.environ.items() if not k.startswith(names)}
    # Open MPI 5 complains on standard error where a machine has addresses of both families (its issue 14079).
    # PMIx 5.0.1 (Ubuntu 24.04) leaves files of its shared memory behind where processes end early; tables leave none.
    return dict(whole, OMPI_MCA_btl_tcp_disable_family="6", PMIX_MCA_gds="hash", **more)
