"""Families of dense models with gated feed-forward blocks: Llama and what followed."""

from __future__ import annotations

from ndpir.frontends.configs.families.family import (
    BIASED,
    HEAD_NORMS,
    LAYER,
    SIZES,
    Facts,
    Family,
    Fields,
    fields,
    llama_names,
)

NORMS_AROUND = {
    "attention_out_norm": ".post_attention_layernorm.weight",
    "feed_forward_norm": ".pre_feedforward_layernorm.weight",
    "feed_forward_out_norm": ".post_feedforward_layernorm.weight",
}


def _score_scale(value: float, facts: Facts) -> None:
    facts["scale"] = value**-0.5


def _scaled_embeddings(facts: Facts) -> None:
    facts["embedding_scale"] = facts["hidden"] ** 0.5


def _head_norms(value: bool, facts: Facts) -> None:
    if value:
        facts["names"] |= {role: LAYER + name for role, name in HEAD_NORMS.items()}
        facts["qk_norm"] = "heads"


def _divided_logits(value: float, facts: Facts) -> None:
    facts["logit_scale"] = 1 / value


_GEMMA: Fields = {"tied": ("tie_word_embeddings", True), "head_size": ("head_dim", 256)}
_GEMMA_2 = fields(
    SIZES,
    BIASED,
    _GEMMA,
    {
        "activation": ("hidden_activation", "gelu_pytorch_tanh"),
        "softcap": ("attn_logit_softcapping", 50.0),
        "logit_softcap": ("final_logit_softcapping", 30.0),
    },
)
_GEMMA_3: Fields = fields(
    _GEMMA_2,
    {
        "vocabulary": ("vocab_size", 262208),
        "heads": ("num_attention_heads", 8),
        "kv_heads": ("num_key_value_heads", 4),
        "context": ("max_position_embeddings", 131072),
        "softcap": ("attn_logit_softcapping", 0.0),
        "logit_softcap": ("final_logit_softcapping", 0.0),
    },
)
_ONE_WAY = {"use_bidirectional_attention": (False,)}
_GEMMA_IGNORED = ("hidden_act", "sliding_window_size")
"""Fields of old files that were never used."""
_COHERE = fields(
    SIZES,
    BIASED,
    {
        "epsilon": ("layer_norm_eps", 1e-5),
        "tied": ("tie_word_embeddings", True),
        "logit_scale": ("logit_scale", 0.0625),
    },
)
_COHERE_FACTS = {"norm": "layer", "parallel": True, "neighbours": True}


def _gemma_3(prefix: str = "", inside: str = "") -> Family:
    names = llama_names(**NORMS_AROUND, **HEAD_NORMS)
    return Family(
        _GEMMA_3,
        {role: prefix + name for role, name in names.items()},
        {"norm_offset": 1.0, "qk_norm": "head"},
        {"query_pre_attn_scalar": (256.0, _score_scale)},
        _scaled_embeddings,
        _ONE_WAY,
        _GEMMA_IGNORED,
        inside=inside,
        theta=1000000.0,
        local_theta=10000.0,
        windows="but every",
        period=6,
        window=4096,
    )


DENSE: dict[str, Family] = {
    "llama": Family(
        fields(SIZES, BIASED, {"feed_forward_bias": ("mlp_bias", False)}),
        llama_names(),
        expected={"rope_interleaved": (False,)},
        ignored=("is_llama_config",),
    ),
    "mistral": Family(
        fields(SIZES, {"kv_heads": ("num_key_value_heads", 8)}), llama_names(), windows="all", window=4096
    ),
    "qwen2": Family(SIZES, llama_names(), {"query_key_bias": True}, windows="from", windows_used=False, window=4096),
    "qwen3": Family(
        fields(SIZES, BIASED, {"head_size": ("head_dim", 128)}),
        llama_names(**HEAD_NORMS),
        {"qk_norm": "head"},
        windows="from",
        windows_used=False,
        window=4096,
    ),
    "gemma": Family(
        fields(SIZES, BIASED, _GEMMA, {"activation": ("hidden_activation", "gelu_pytorch_tanh")}),
        llama_names(),
        {"norm_offset": 1.0},
        finish=_scaled_embeddings,
        expected=_ONE_WAY,
        ignored=_GEMMA_IGNORED,
    ),
    "gemma2": Family(
        _GEMMA_2,
        llama_names(**NORMS_AROUND),
        {"norm_offset": 1.0},
        {"query_pre_attn_scalar": (256.0, _score_scale)},
        _scaled_embeddings,
        _ONE_WAY,
        _GEMMA_IGNORED,
        windows="but every",
        period=2,
        window=4096,
    ),
    "gemma3_text": _gemma_3(),
    "gemma3": _gemma_3("language_model.", "text_config"),
    "phi3": Family(
        fields(SIZES, {"epsilon": ("rms_norm_eps", 1e-5)}),
        llama_names(
            query="",
            key="",
            value="",
            gate="",
            up="",
            query_key_value=".self_attn.qkv_proj.weight",
            gate_up=".mlp.gate_up_proj.weight",
        ),
        {"joined": "in order"},
        expected={
            "attention_bias": (False,),
            "mlp_bias": (False,),
            "lm_head_bias": (False,),
            "full_attn_mod": (1,),
            "interpolate_factor": (1,),
        },
        windows="all",
    ),
    "olmo2": Family(
        fields(SIZES, BIASED, {"epsilon": ("rms_norm_eps", 1e-5)}),
        llama_names(**(NORMS_AROUND | HEAD_NORMS | {"feed_forward_norm": "", "attention_norm": ""})),
        {"qk_norm": "all"},
    ),
    "cohere": Family(
        _COHERE,
        llama_names(feed_forward_norm=""),
        _COHERE_FACTS,
        {"use_qk_norm": (False, _head_norms)},
        theta=500000.0,
    ),
    "cohere2": Family(
        _COHERE,
        llama_names(feed_forward_norm=""),
        _COHERE_FACTS,
        ignored=("order_of_interleaved_layers", "position_embedding_type", "rotary_pct", "use_embedding_sharing"),
        expected={
            "use_qk_norm": (False,),
            "use_gated_activation": (True,),
            "use_parallel_block": (True,),
            "use_parallel_embedding": (False,),
            "layer_switch": (4,),  # the period, which `sliding_window_pattern` states, too
        },
        global_rotation=False,
        windows="but every",
        period=4,
        window=4096,
    ),
    "granite": Family(
        fields(
            SIZES,
            BIASED,
            {
                "feed_forward_bias": ("mlp_bias", False),
                "embedding_scale": ("embedding_multiplier", 1.0),
                "residual_scale": ("residual_multiplier", 1.0),
                "scale": ("attention_multiplier", 1.0),
            },
        ),
        llama_names(),
        switches={"logits_scaling": (1.0, _divided_logits)},
    ),
}
"""Dense families, by `model_type`."""
