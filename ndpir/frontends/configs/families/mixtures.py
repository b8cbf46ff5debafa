"""Families of mixtures of experts, and of latent attention: Mixtral, Qwen, gpt-oss, DeepSeek."""

from __future__ import annotations

from collections.abc import Sequence

from ndpir.frontends.configs.families.family import (
    BIASED,
    HEAD_NORMS,
    REQUIRED,
    SIZES,
    Facts,
    Family,
    Fields,
    fields,
    llama_names,
)

_QWEN: Fields = {
    "experts.count": (("num_experts", "num_local_experts"), REQUIRED),
    "experts.chosen": ("num_experts_per_tok", REQUIRED),
    "experts.width": ("moe_intermediate_size", REQUIRED),
    "experts.normalised": ("norm_topk_prob", False),
}
_EXPERTS = {
    "router": ".mlp.gate.weight",
    "expert_gate": ".mlp.experts.{expert}.gate_proj.weight",
    "expert_up": ".mlp.experts.{expert}.up_proj.weight",
    "expert_down": ".mlp.experts.{expert}.down_proj.weight",
}


def _every(value: int, facts: Facts) -> None:
    """Only every so many layers has experts; the first one of them is the last of these."""
    step = max(value, 1)
    facts["experts.layers"] = frozenset(layer for layer in range(facts["layers"]) if (layer + 1) % step == 0)


def _dense_layers(value: Sequence[int], facts: Facts) -> None:
    facts["experts.layers"] -= frozenset(value)


def _first_dense(value: int, facts: Facts) -> None:
    facts["experts.layers"] = frozenset(range(value, facts["layers"]))


def _shared(value: int, facts: Facts) -> None:
    facts["experts.shared_width"] = value * facts["experts.width"]
    if not value:
        for role in ("shared_gate", "shared_up", "shared_down"):
            facts["names"].pop(role)


def _query_latent(value: int, facts: Facts) -> None:
    """DeepSeek whose queries are computed from the hidden states, as in its lite models, or from a latent."""
    facts["latent.query_size"] = value
    if value:
        layer = "model.layers.{layer}.self_attn."
        facts["names"] |= {
            "query_latent": layer + "q_a_proj.weight",
            "query_latent_norm": layer + "q_a_layernorm.weight",
            "query": layer + "q_b_proj.weight",
        }


def _turned(value: int, facts: Facts) -> None:
    """The elements of queries and keys that turn; heads have them behind the others."""
    facts["rotated"] = value
    facts["head_size"] = value + facts["latent.plain"]


def _neighbours(value: bool, facts: Facts) -> None:
    facts["neighbours"] = value


def _way_to_choose(value: str, facts: Facts) -> None:
    if value == "greedy":
        facts["experts.groups"] = facts["experts.chosen_groups"] = 1


_DEEPSEEK = fields(
    {fact: stated for fact, stated in SIZES.items() if fact not in ("kv_heads", "head_size")},
    {
        "output_bias": ("attention_bias", False),
        "query_key_bias": ("attention_bias", False),
        "value_size": ("v_head_dim", REQUIRED),
        "latent.size": ("kv_lora_rank", REQUIRED),
        "latent.plain": ("qk_nope_head_dim", REQUIRED),
        "experts.count": ("n_routed_experts", REQUIRED),
        "experts.chosen": ("num_experts_per_tok", REQUIRED),
        "experts.width": ("moe_intermediate_size", REQUIRED),
        "experts.factor": ("routed_scaling_factor", 1.0),
        "experts.groups": ("n_group", 1),
        "experts.chosen_groups": ("topk_group", 1),
    },
)
_DEEPSEEK_NAMES = llama_names(
    key="",
    value="",
    latent=".self_attn.kv_a_proj_with_mqa.weight",
    latent_norm=".self_attn.kv_a_layernorm.weight",
    key_value=".self_attn.kv_b_proj.weight",
    shared_gate=".mlp.shared_experts.gate_proj.weight",
    shared_up=".mlp.shared_experts.up_proj.weight",
    shared_down=".mlp.shared_experts.down_proj.weight",
    **_EXPERTS,
)
_DEEPSEEK_SWITCHES = {
    "first_k_dense_replace": (0, _first_dense),
    "n_shared_experts": (0, _shared),
    "q_lora_rank": (0, _query_latent),
    "qk_rope_head_dim": (64, _turned),
}
_DEEPSEEK_IGNORED = (
    *("aux_loss_alpha", "ep_size", "head_dim", "num_key_value_heads", "num_mtp_layers", "num_nextn_predict_layers"),
    *("qk_head_dim", "seq_aux"),
)


MIXTURES: dict[str, Family] = {
    "mixtral": Family(
        fields(
            SIZES,
            {
                "kv_heads": ("num_key_value_heads", 8),
                "epsilon": ("rms_norm_eps", 1e-5),
                "experts.count": ("num_local_experts", 8),
                "experts.chosen": ("num_experts_per_tok", 2),
                "experts.width": ("intermediate_size", REQUIRED),
            },
        ),
        llama_names(
            router=".block_sparse_moe.gate.weight",
            expert_gate=".block_sparse_moe.experts.{expert}.w1.weight",
            expert_up=".block_sparse_moe.experts.{expert}.w3.weight",
            expert_down=".block_sparse_moe.experts.{expert}.w2.weight",
        ),
        {"experts.normalised": True},
        theta=1000000.0,
        windows="all",
    ),
    "qwen2_moe": Family(
        fields(
            SIZES,
            _QWEN,
            {
                "query_key_bias": ("qkv_bias", True),
                "experts.shared_width": ("shared_expert_intermediate_size", REQUIRED),
            },
        ),
        llama_names(
            shared_gate=".mlp.shared_expert.gate_proj.weight",
            shared_up=".mlp.shared_expert.up_proj.weight",
            shared_down=".mlp.shared_expert.down_proj.weight",
            shared_share=".mlp.shared_expert_gate.weight",
            **_EXPERTS,
        ),
        switches={"decoder_sparse_step": (1, _every), "mlp_only_layers": ((), _dense_layers)},
        windows="below",
        windows_used=False,
        window=4096,
    ),
    "qwen3_moe": Family(
        fields(SIZES, BIASED, _QWEN),
        llama_names(**HEAD_NORMS, **_EXPERTS),
        {"qk_norm": "head"},
        {"decoder_sparse_step": (1, _every), "mlp_only_layers": ((), _dense_layers)},
        expected={"qkv_bias": (False,), "shared_expert_intermediate_size": (0,), "use_qk_norm": (True,)},
        ignored=("max_window_layers",),
        windows="all",
        window=4096,
        windows_used=False,
    ),
    "gpt_oss": Family(
        fields(
            SIZES,
            {
                "head_size": ("head_dim", 64),
                "epsilon": ("rms_norm_eps", 1e-5),
                "query_key_bias": ("attention_bias", True),
                "output_bias": ("attention_bias", True),
                "experts.count": ("num_local_experts", REQUIRED),
                "experts.chosen": (("num_experts_per_tok", "experts_per_token"), REQUIRED),
                "experts.width": ("intermediate_size", REQUIRED),
                "experts.clamp": ("swiglu_limit", 7.0),
            },
        ),
        llama_names(
            sinks=".self_attn.sinks",
            router=".mlp.router.weight",
            expert_gate_up=".mlp.experts.gate_up_proj",
            expert_down=".mlp.experts.down_proj",
        ),
        {"experts.scores": "softmax of chosen", "experts.biased": True},
        expected={"swiglu_alpha": (1.702,)},
        ignored=("initial_context_length",),
        dtype="bfloat16",
        theta=150000.0,
        windows="but every",
        period=2,
        window=128,
    ),
    "deepseek_v2": Family(
        _DEEPSEEK,
        _DEEPSEEK_NAMES,
        {"neighbours": True},
        _DEEPSEEK_SWITCHES | {"topk_method": ("greedy", _way_to_choose)},
        expected={
            "mlp_bias": (False,),
            "moe_layer_freq": (1,),
            "norm_topk_prob": (False,),
            "scoring_func": ("softmax",),
            "topk_method": ("greedy", "group_limited_greedy"),
        },
        ignored=_DEEPSEEK_IGNORED,
    ),
    "deepseek_v3": Family(
        fields(
            _DEEPSEEK,
            {"experts.factor": ("routed_scaling_factor", 2.5), "experts.normalised": ("norm_topk_prob", True)},
        ),
        _DEEPSEEK_NAMES | {"router_correction": "model.layers.{layer}.mlp.gate.e_score_correction_bias"},
        {"neighbours": True, "experts.scores": "sigmoid", "experts.corrected": True},
        _DEEPSEEK_SWITCHES | {"rope_interleave": (True, _neighbours)},
        expected={"moe_layer_freq": (1,), "scoring_func": ("sigmoid",), "topk_method": ("noaux_tc",)},
        ignored=_DEEPSEEK_IGNORED,
    ),
}
"""Families of mixtures of experts, by `model_type`."""
MIXTURES["kimi_k2"] = MIXTURES["deepseek_v3"]  # of the same architecture
